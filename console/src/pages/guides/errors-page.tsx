import { Sample } from '../../parts/sample.tsx'
import { useWords, words } from '../../words/language.tsx'
import { Guide, GuideStep } from './guide.tsx'

const errorWords = words({
  sw: {
    shapes: 'Maumbo mawili',
    shapesSay:
      'Mazungumzo, vekta na sauti zinajibu makosa kama OpenAI, ili SDK ziyasome. Njia nyingine zina bahasha yetu; picha, video na kusoma faili zina vyote viwili. Ujumbe unataja sehemu yenye kosa.',
    statuses: 'Kila namba, na la kufanya',
    statusesSay: `| HTTP | Maana | Fanya nini |
|---|---|---|
| 400 | Kuna kosa kwenye ombi; \`param\` inataja sehemu | Rekebisha; usirudie lilivyo |
| 401 | Ufunguo haupo, si sahihi, au umefutwa | Angalia \`Authorization: Bearer mlg_…\` |
| 402 | Salio halitoshi: \`available\` ipo, \`needed\` inahitajika | Ongeza salio |
| 403 | Ufunguo hauruhusiwi kufanya hivi | Tumia aina sahihi ya ufunguo |
| 404 | Modeli au kitu hakipo | Angalia \`GET /v1/models\` |
| 409 | \`Idempotency-Key\` ile ile bado inafanya kazi, au video haijawa tayari | Subiri, kisha rudia |
| 410 | Video haipo tena | Itengeneze upya |
| 413 | Ombi ni kubwa mno | Punguza faili |
| 429 | Maombi ni mengi, au majibu mengi ya aina hii hayakuweza kutumika na hayakutozwa | Subiri \`Retry-After\` sekunde |
| 500 | Hitilafu upande wetu | Rudia; ikiendelea, tuambie \`X-Request-Id\` |
| 502, \`upstream_rejected\` | Modeli imekataa ombi; ujumbe una sababu | Rekebisha; usirudie lilivyo |
| 502, 503 | Mtoa modeli hajajibu vizuri | Rudia kwa kusubiri zaidi kila mara |`,
    money: 'Kosa ni bure',
    moneySay:
      'Ombi lililoshindikana, lililositishwa au lililokatika halitozwi. Kila jibu lina kichwa `X-Request-Id`: kitafute kwenye **Matumizi**.',
  },
  en: {
    shapes: 'Two shapes',
    shapesSay:
      'Chat, embeddings and voice answer errors as OpenAI does, so that SDKs read them. Other routes have our envelope; pictures, videos and reading files have both. The message names the field that is wrong.',
    statuses: 'Every status, and what to do',
    statusesSay: `| HTTP | Meaning | What to do |
|---|---|---|
| 400 | Something in the request is wrong; \`param\` names it | Correct it; do not repeat it as it is |
| 401 | The key is missing, wrong or revoked | Check \`Authorization: Bearer mlg_…\` |
| 402 | Your balance is too low: \`available\` is there, \`needed\` is needed | Top up |
| 403 | This key may not do this | Use the right kind of credential |
| 404 | No such model or thing | See \`GET /v1/models\` |
| 409 | The same \`Idempotency-Key\` is still at work, or a video is not ready | Wait, then repeat |
| 410 | The video is no longer there | Make it again |
| 413 | The request is too large | Send a smaller file |
| 429 | Too many requests, or too many answers of this kind that could not be used and were not charged | Wait \`Retry-After\` seconds |
| 500 | Something went wrong on our side | Repeat; if it stays, tell us the \`X-Request-Id\` |
| 502, \`upstream_rejected\` | The model refused the request; the message has its reason | Correct it; do not repeat it as it is |
| 502, 503 | The model’s provider did not answer well | Repeat, waiting longer each time |`,
    money: 'Errors are free',
    moneySay:
      'A call that failed, was cancelled or broke off is not charged. Every answer has the header `X-Request-Id`: look for it in **Activity**.',
  },
})

const COMPATIBLE = `HTTP/1.1 402

{
  "error": {
    "message": "Not enough credits for this request: 0.5 are available, 2.25 are needed. Top up and try again.",
    "type": "insufficient_quota",
    "param": null,
    "code": "insufficient_quota",
    "available": 0.5,
    "needed": 2.25
  }
}`

const ENVELOPE = `HTTP/1.1 400

{
  "status": "error",
  "code": 400,
  "error_code": "validation_error",
  "message": "amount_tzs: …",
  "request_id": "req_…"
}`

export default function Page() {
  const words = useWords(errorWords)
  return (
    <Guide name="errors">
      <GuideStep title={words.shapes} text={words.shapesSay}>
        <Sample
          label={words.shapes}
          tabs={[
            { name: '/v1/chat/completions', code: COMPATIBLE },
            { name: '/v1/payments', code: ENVELOPE },
          ]}
        />
      </GuideStep>
      <GuideStep title={words.statuses} text={words.statusesSay} />
      <GuideStep title={words.money} text={words.moneySay} />
    </Guide>
  )
}
