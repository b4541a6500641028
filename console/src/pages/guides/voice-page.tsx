import { Sample } from '../../parts/sample.tsx'
import { samplesOf } from '../../samples/samples.ts'
import { useWords, words } from '../../words/language.tsx'
import { Guide, GuideStep } from './guide.tsx'
import { useSampleFacts } from './sample-models.ts'

const voiceWords = words({
  sw: {
    flow: 'Ongea na usikie, kwa ombi moja',
    flowSay:
      'Tuma sauti; unapata maandishi yake, jibu, na jibu likisemwa. Lugha ni Kiswahili (`sw`) usipotaja nyingine; `response_language` ni lugha ya jibu. Majina, namba, tarehe, kiasi cha TZS na kumbukumbu za malipo vinahifadhiwa.\n\nJibu lina `transcript`, `text`, `audio_base64` na `audio_content_type`. Usipohitaji sauti, weka `"include_audio": false`.',
    hear: 'Sauti kuwa maandishi',
    hearSay:
      'Pakia faili (`multipart/form-data`), au tuma base64 ndani ya JSON kama `input_audio: {data, format}`. Miundo: wav, mp3, flac, m4a, ogg, webm, aac; hadi 25 MiB. Kiswahili kinatarajiwa; `language` inataja lugha nyingine, na `auto` inaiachia modeli itambue yenyewe.',
    speak: 'Maandishi kuwa sauti',
    speakSay:
      'Jibu ni baiti za sauti zenyewe: `audio/mpeg` kwa `mp3`, `audio/pcm` kwa `pcm`. Kosa ni JSON kila wakati: angalia namba ya HTTP kabla ya kucheza. Majina ya sauti ya kila modeli yapo kwenye `supported_voices`.',
    spoken: 'Karibu Mlango. Salio lako ni shilingi elfu tano.',
    cost: 'Gharama',
    costSay:
      'Ombi la pamoja linashikilia krediti mara moja na kutoza kila hatua iliyokamilika. Hatua moja ikishindikana, hutozwi chochote. Njia za sauti hazina `Idempotency-Key`: zikikatika, angalia **Matumizi** kabla ya kurudia.',
  },
  en: {
    flow: 'Speak and hear, in one call',
    flowSay:
      'Send a recording; you get its text, an answer, and the answer spoken. The language is Kiswahili (`sw`) unless you name another; `response_language` is that of the answer. Names, numbers, dates, amounts in TZS and payment references are preserved.\n\nThe answer has `transcript`, `text`, `audio_base64` and `audio_content_type`. Without need for sound set `"include_audio": false`.',
    hear: 'Speech to text',
    hearSay:
      'Upload a file (`multipart/form-data`), or send base64 in JSON as `input_audio: {data, format}`. Formats: wav, mp3, flac, m4a, ogg, webm, aac; up to 25 MiB. Kiswahili is expected; `language` names another language, and `auto` lets the model find out.',
    speak: 'Text to speech',
    speakSay:
      'The answer is the sound itself: `audio/mpeg` for `mp3`, `audio/pcm` for `pcm`. A failure is always JSON: look at the status before you play it. The names of voices are in `supported_voices` of each model.',
    spoken: 'Karibu Mlango. Salio lako ni shilingi elfu tano.',
    cost: 'What it costs',
    costSay:
      'The combined call reserves once and charges each completed stage. If one stage fails, nothing is charged. Voice routes have no `Idempotency-Key`: if one breaks off, look at **Activity** before you repeat it.',
  },
})

export default function Page() {
  const words = useWords(voiceWords)
  const { origin, model } = useSampleFacts()
  const flow = samplesOf(origin, {
    path: '/v1/voice/responses',
    body: {
      audio_format: 'mp3',
      stt_model: model.transcription,
      text_model: model.text,
      tts_model: model.speech,
      language: 'sw',
      response_language: 'sw',
    },
    inBase64: { member: 'audio_data', file: 'swali.mp3' },
  })
  const hear = samplesOf(origin, {
    path: '/v1/audio/transcriptions',
    form: {
      fields: { model: model.transcription, language: 'sw' },
      file: 'swali.mp3',
      type: 'audio/mpeg',
    },
  })
  const speak = samplesOf(origin, {
    path: '/v1/audio/speech',
    body: { model: model.speech, input: words.spoken, response_format: 'mp3' },
    answer: 'sound',
  })
  return (
    <Guide name="voice" tryAt="/app/try/voice">
      <GuideStep title={words.flow} text={words.flowSay}>
        <Sample label={words.flow} tabs={flow} />
      </GuideStep>
      <GuideStep title={words.hear} text={words.hearSay}>
        <Sample label={words.hear} tabs={hear} />
      </GuideStep>
      <GuideStep title={words.speak} text={words.speakSay}>
        <Sample label={words.speak} tabs={speak} />
      </GuideStep>
      <GuideStep title={words.cost} text={words.costSay} />
    </Guide>
  )
}
