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
    </Guide>
  )
}
