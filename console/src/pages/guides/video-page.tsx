import { Sample } from '../../parts/sample.tsx'
import { samplesOf } from '../../samples/samples.ts'
import { useWords, words } from '../../words/language.tsx'
import { Guide, GuideStep } from './guide.tsx'
import { useSampleFacts } from './sample-models.ts'

const videoWords = words({
  sw: {
    order: '1. Agiza',
    orderSay:
      'Jibu ni 202 lenye `data.job_id`. Weka `Idempotency-Key` yako: ukirudia ombi baada ya mtandao kukatika, unapata kazi ile ile, si ya pili. `duration`, `resolution` na `aspect_ratio` hutegemea modeli.',
    prompt: 'Jua linachomoza juu ya Mlima Kilimanjaro',
    wait: '2. Subiri',
    waitSay:
      'Uliza hali kila sekunde 30 hadi 60: `pending`, `processing`, kisha `completed`, `failed`, `cancelled` au `expired`. Ikikamilika, `data.usage.cost_credits` ni gharama; ikishindikana `data.error` inasema kwa nini.',
    download: '3. Pakua',
    downloadSay:
      'Kabla haijawa tayari unapata 409. Video inahifadhiwa kwa muda mfupi tu upande wa modeli; baada ya hapo unapata 410: itengeneze upya.',
    cost: 'Gharama',
    costSay:
      'Bei ya juu kabisa inashikiliwa unapoagiza, na salio lazima litoshe. Unatozwa gharama halisi video ikikamilika. Ikishindikana, ikisitishwa au muda ukiisha, **hutozwi**.',
  },
  en: {
    order: '1. Order',
    orderSay:
      'The answer is 202 with `data.job_id`. Send an `Idempotency-Key` of yours: if you repeat the call after a broken connection you get the same job, not a second one. `duration`, `resolution` and `aspect_ratio` depend on the model.',
    prompt: 'The sun rises over Mount Kilimanjaro',
    wait: '2. Wait',
    waitSay:
      'Ask every 30 to 60 seconds: `pending`, `processing`, then `completed`, `failed`, `cancelled` or `expired`. At the end `data.usage.cost_credits` is the cost; if it failed, `data.error` says why.',
    download: '3. Download',
    downloadSay:
      'Before it is ready you get 409. A video is kept only for a while where it was made; after that you get 410: make it again.',
    cost: 'What it costs',
    costSay:
      'The highest price is reserved with the order, and your balance must cover it. You are charged the real cost when the video is complete. If it fails, is cancelled or expires you are **not charged**.',
  },
})

export default function Page() {
  const words = useWords(videoWords)
  const { origin, model } = useSampleFacts()
  const order = samplesOf(origin, {
    path: '/v1/videos',
    body: { model: model.video, prompt: words.prompt },
    headers: { 'Idempotency-Key': 'video-0001' },
  })
  const auth = '-H "Authorization: Bearer $MLANGO_KEY"'
  const wait = `JOB=0199…   # data.job_id
curl ${origin}/v1/videos/$JOB \\
  ${auth}`
  const download = `curl --fail-with-body ${origin}/v1/videos/$JOB/content \\
  ${auth} \\
  -o video.mp4`
  return (
    <Guide name="video" tryAt="/app/try/video">
      <GuideStep title={words.order} text={words.orderSay}>
        <Sample label={words.order} tabs={order} />
      </GuideStep>
      <GuideStep title={words.wait} text={words.waitSay}>
        <Sample label={words.wait} tabs={[{ name: 'curl', code: wait }]} />
      </GuideStep>
      <GuideStep title={words.download} text={words.downloadSay}>
        <Sample label={words.download} tabs={[{ name: 'curl', code: download }]} />
      </GuideStep>
      <GuideStep title={words.cost} text={words.costSay} />
    </Guide>
  )
}
