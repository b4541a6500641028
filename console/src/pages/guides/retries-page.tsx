import { Sample } from '../../parts/sample.tsx'
import { samplesOf } from '../../samples/samples.ts'
import { useWords, words } from '../../words/language.tsx'
import { Guide, GuideStep } from './guide.tsx'
import { useSampleFacts } from './sample-models.ts'

const retryWords = words({
  sw: {
    why: 'Kwa nini',
    whySay:
      'Mtandao ukikatika hujui kama ombi lilifika. Ukituma `Idempotency-Key`, rudia bila wasiwasi: ukirudia na ufunguo ule ule unapata jibu lile lile, bila kazi ya pili wala gharama ya pili.',
    prompt: 'Andika risiti fupi ya TZS 12,000.',
    how: 'Inavyofanya kazi',
    howSay: `- Ufunguo ni maandishi yako, herufi 1 hadi 255: kwa mfano namba ya oda. Kazi mpya, ufunguo mpya: ufunguo uliokamilika hurudisha jibu la kwanza, chochote utakachotuma.
- Jibu la mafanikio linahifadhiwa saa 24 na linarudi na kichwa \`Idempotency-Replayed: true\`.
- Ombi la kwanza likiwa bado linaendelea, unapata 409: subiri kidogo, rudia.
- Ombi lililoshindikana halihifadhiwi: ufunguo ule ule unaweza kutumika tena.
- Ombi lenye ufunguo linaendelea hata ukikatika, linatozwa, na jibu lake linakusubiri.`,
    where: 'Wapi',
    whereSay:
      'Mazungumzo na vekta bila mtiririko, picha, kusoma faili, kuagiza video, na kuongeza salio. Kwenye `"stream": true` na njia za sauti haitumiki.',
    when: 'Lini urudie',
    whenSay:
      '429, 500, 502, 503, au hakuna jibu: subiri sekunde 1, 2, 4, 8 na nasibu kidogo; ukiwa na `Retry-After`, fuata hiyo. 400, 401, 402, 403 na 404 hazibadiliki kwa kurudia. SDK za OpenAI hurudia zenyewe mara mbili.',
  },
  en: {
    why: 'Why',
    whySay:
      'When a connection breaks you cannot know whether the call arrived. With an `Idempotency-Key` you can repeat it without worry: the same key gives the same answer, without a second piece of work or a second charge.',
    prompt: 'Write a short receipt for TZS 12,000.',
    how: 'How it works',
    howSay: `- The key is a text of yours, 1 to 255 characters: the number of an order, for example. New work, new key: a finished key gives its first answer, whatever you send.
- A successful answer is kept for 24 hours and comes back with the header \`Idempotency-Replayed: true\`.
- While the first call is still at work you get 409: wait a little, repeat.
- A call that failed is not kept: the same key may be used again.
- A call with a key goes on even if you are cut off, is charged, and its answer waits for you.`,
    where: 'Where',
    whereSay:
      'Chat and embeddings without a stream, pictures, reading files, ordering videos, and top-ups. It has no effect with `"stream": true` and on the voice routes.',
    when: 'When to repeat',
    whenSay:
      '429, 500, 502, 503, or no answer at all: wait 1, 2, 4, 8 seconds and a little at random; where there is a `Retry-After`, follow it. Repeating does not change 400, 401, 402, 403 and 404. OpenAI’s SDKs repeat twice by themselves.',
  },
})

export default function Page() {
  const words = useWords(retryWords)
  const { origin, model } = useSampleFacts()
  const samples = samplesOf(origin, {
    path: '/v1/chat/completions',
    body: { model: model.text, messages: [{ role: 'user', content: words.prompt }] },
    headers: { 'Idempotency-Key': 'oda-2026-0417' },
  })
  return (
    <Guide name="retries">
      <GuideStep title={words.why} text={words.whySay}>
        <Sample label={words.why} tabs={samples} />
      </GuideStep>
      <GuideStep title={words.how} text={words.howSay} />
      <GuideStep title={words.where} text={words.whereSay} />
      <GuideStep title={words.when} text={words.whenSay} />
    </Guide>
  )
}
