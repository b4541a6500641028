import { Sample } from '../../parts/sample.tsx'
import { samplesOf } from '../../samples/samples.ts'
import { useWords, words } from '../../words/language.tsx'
import { Guide, GuideStep } from './guide.tsx'
import { useSampleFacts } from './sample-models.ts'

const imageWords = words({
  sw: {
    draw: 'Chora picha',
    drawSay:
      'Picha zinarudi kama base64 kwenye `data[].b64_json`; hakuna kiungo cha nje. `n` ni idadi (1 hadi 10). Vigezo vingine kama `size`, `aspect_ratio` na `seed` vinapelekwa kwa modeli.',
    prompt: 'Soko la Kariakoo asubuhi, rangi za maji',
    read: 'Soma hati, picha au video',
    readSay:
      'Pakia faili pamoja na `model` na `prompt`. Kila aina ina njia yake na ukomo wake:\n\n| Njia | Faili | Ukomo |\n|---|---|---|\n| `/v1/documents/analyze` | PDF | 15 MiB |\n| `/v1/vision/analyze` | JPEG, PNG, WebP, GIF | 10 MiB |\n| `/v1/video/analyze` | MP4, MPEG, MOV, WebM | 8 MiB |\n\nHatuhifadhi faili yako. Maandishi yapo kwenye `data.text`, gharama kwenye `data.usage.cost_credits`.',
    question: 'Fupisha hati hii kwa sentensi tatu.',
    chat: 'Picha ndani ya mazungumzo',
    chatSay:
      'Modeli yenye `image` kwenye `input_modalities` inapokea pia `image_url` ndani ya ujumbe: anwani ya wavuti au `data:` yenye base64.',
    what: 'Kuna nini kwenye picha hii?',
    unknown: 'Viungo, na faili zisizopimika',
    unknownSay:
      'Ukubwa wa picha, video au hati iliyo kwenye kiungo haujulikani kabla ya jibu; wala wa faili isiyosomeka. Hivyo inashikiliwa gharama ya kawaida ya kitu kama hicho, au salio lote likiwa dogo, kisha unatozwa kilichotumika kweli.\n\n- Nusu ya salio lako isipotosha gharama kubwa kabisa, ombi moja la aina hii linaendeshwa kwa wakati. La pili linapata 429; subiri `Retry-After`, kisha rudia.\n- Faili inayotumwa yenyewe (base64) inapimwa, na haina kikomo hicho.\n- Ombi moja likigharimu zaidi ya salio kwa kiasi kikubwa, kwa siku 30 inashikiliwa gharama kubwa kabisa: 402 inataja kinachohitajika.\n- Ukiliacha ombi la video au hati ya aina hii kabla halijakamilika, linaendelea hadi mwisho ili gharama yake ijulikane. Lisilotozwa kwa kawaida halitozwi hapa pia.',
  },
  en: {
    draw: 'Make a picture',
    drawSay:
      'Pictures come back as base64 in `data[].b64_json`; there is no outside link. `n` is how many (1 to 10). Other parameters such as `size`, `aspect_ratio` and `seed` are passed to the model.',
    prompt: 'Kariakoo market in the morning, watercolour',
    read: 'Read a document, a picture or a video',
    readSay:
      'Upload a file with `model` and `prompt`. Each kind has its route and its limit:\n\n| Route | File | Limit |\n|---|---|---|\n| `/v1/documents/analyze` | PDF | 15 MiB |\n| `/v1/vision/analyze` | JPEG, PNG, WebP, GIF | 10 MiB |\n| `/v1/video/analyze` | MP4, MPEG, MOV, WebM | 8 MiB |\n\nWe do not keep your file. The text is in `data.text`, the cost in `data.usage.cost_credits`.',
    question: 'Sum up this document in three sentences.',
    chat: 'Pictures within a chat',
    chatSay:
      'A model with `image` in its `input_modalities` also takes `image_url` in a message: an address of the web, or `data:` with base64.',
    what: 'What is in this picture?',
    unknown: 'Links, and files that cannot be measured',
    unknownSay:
      'Nobody knows before the answer how large a picture, a video or a document behind a link is, nor a file that cannot be read. So what such things usually cost is reserved, or your whole balance if that is less, and you are charged what was really used.\n\n- If half of your balance does not pay for the highest possible cost, one such call runs at a time. A second one gets 429; wait for `Retry-After` and repeat it.\n- A file that is sent along (base64) is measured, and has no such limit.\n- If one call costs far more than your balance, the highest possible cost is reserved for 30 days: the 402 names what is needed.\n- If you leave such a call about a video or a document, it runs to its end, so that its cost is known. What is not charged otherwise is not charged here either.',
  },
})

/** One green pixel: a picture that fits into a sample. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mPk/M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export default function Page() {
  const words = useWords(imageWords)
  const { origin, model } = useSampleFacts()
  const draw = samplesOf(origin, {
    path: '/v1/images/generations',
    body: { model: model.image, prompt: words.prompt, n: 1 },
    answer: 'pictures',
  })
  const read = samplesOf(origin, {
    path: '/v1/documents/analyze',
    form: {
      fields: { model: model.document, prompt: words.question },
      file: 'hati.pdf',
      type: 'application/pdf',
    },
  })
  const content = [
    { type: 'text', text: words.what },
    { type: 'image_url', image_url: { url: PIXEL } },
  ]
  const chat = samplesOf(origin, {
    path: '/v1/chat/completions',
    body: { model: model.vision, messages: [{ role: 'user', content }] },
  })
  return (
    <Guide name="images-documents" tryAt="/app/try/document">
      <GuideStep title={words.draw} text={words.drawSay}>
        <Sample label={words.draw} tabs={draw} />
      </GuideStep>
      <GuideStep title={words.read} text={words.readSay}>
        <Sample label={words.read} tabs={read} />
      </GuideStep>
      <GuideStep title={words.chat} text={words.chatSay}>
        <Sample label={words.chat} tabs={chat} />
      </GuideStep>
      <GuideStep title={words.unknown} text={words.unknownSay} />
    </Guide>
  )
}
