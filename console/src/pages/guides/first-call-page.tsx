import { firstCallSamples } from '../../catalog/first-call.ts'
import { Sample } from '../../parts/sample.tsx'
import { useWords, words } from '../../words/language.tsx'
import { Guide, GuideStep } from './guide.tsx'
import { useSampleFacts } from './sample-models.ts'
import { guideWords } from './words.ts'

const firstCallWords = words({
  sw: {
    key: '1. Pata ufunguo',
    keySay:
      'Fungua akaunti, kisha tengeneza ufunguo kwenye ukurasa wa **Funguo**. Unaanza na `mlg_` na unaonyeshwa mara moja tu: uhifadhi mahali salama, si ndani ya programu unayoisambaza.',
    environment: '2. Uweke kwenye mazingira',
    environmentSay: 'Hivyo hauingii kwenye msimbo wala kwenye historia ya Git.',
    call: '3. Tuma ombi',
    callSay:
      'Njia ya mazungumzo ni ile ile ya OpenAI. SDK yoyote ya muundo huo inafanya kazi: badilisha `base_url` na ufunguo tu.',
    install: 'Kwa Python: `pip install openai`. Kwa Node: `npm install openai`.',
    answer: '4. Soma jibu',
    answerSay:
      'Maandishi yapo kwenye `choices[0].message.content`. Vichwa `X-Credits-Charged` na `X-Credits-Remaining` vinasema gharama na salio; `X-Request-Id` ni namba ya ombi ukihitaji msaada.',
    models: 'Chagua modeli nyingine',
    modelsSay:
      'Orodha yenye bei iko kwenye ukurasa wa modeli, na kwa programu kwenye `GET /v1/models`. Chuja kwa `output_modalities`, kama `text`, `image`, `speech` au `video`.',
  },
  en: {
    key: '1. Get a key',
    keySay:
      'Create an account, then a key on the page **API keys**. It begins with `mlg_` and is shown once: keep it in a safe place, not in a program that you hand out.',
    environment: '2. Put it into the environment',
    environmentSay: 'So it is neither in your code nor in the history of Git.',
    call: '3. Send a request',
    callSay:
      'The chat route is OpenAI’s. Any SDK of that format works: change only the `base_url` and the key.',
    install: 'For Python: `pip install openai`. For Node: `npm install openai`.',
    answer: '4. Read the answer',
    answerSay:
      'The text is in `choices[0].message.content`. The headers `X-Credits-Charged` and `X-Credits-Remaining` say what it cost and what is left; `X-Request-Id` is the number to name when you need help.',
    models: 'Choose another model',
    modelsSay:
      'The list with prices is on the page of models, and for programs at `GET /v1/models`. Filter by `output_modalities`, such as `text`, `image`, `speech` or `video`.',
  },
})

export default function Page() {
  const words = useWords(firstCallWords)
  const common = useWords(guideWords)
  const { origin, model } = useSampleFacts()
  const list = `curl "${origin}/v1/models?output_modalities=speech" \\
  -H "Authorization: Bearer $MLANGO_KEY"`
  return (
    <Guide name="first-call" tryAt="/app/try/chat">
      <GuideStep title={words.key} text={words.keySay} />
      <GuideStep title={words.environment} text={words.environmentSay}>
        <Sample
          label={words.environment}
          tabs={[{ name: 'bash', code: 'export MLANGO_KEY=mlg_…' }]}
        />
      </GuideStep>
      <GuideStep title={words.call} text={`${words.callSay}\n\n${words.install}`}>
        <Sample label={words.call} tabs={firstCallSamples(origin, model.text)} />
        <p className="text-sm text-soft">{common.model}</p>
      </GuideStep>
      <GuideStep title={words.answer} text={words.answerSay} />
      <GuideStep title={words.models} text={words.modelsSay}>
        <Sample label={words.models} tabs={[{ name: 'curl', code: list }]} />
      </GuideStep>
    </Guide>
  )
}
