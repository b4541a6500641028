import { useSearchParams } from 'wouter'
import { useCatalog } from '../../../../catalog/models.ts'
import { useRemembered, useStored } from '../../../../client/device-storage.ts'
import { TextArea } from '../../../../parts/form/field.tsx'
import { Choices } from '../../../../parts/form/select.tsx'
import { useWords } from '../../../../words/language.tsx'
import { hearingEstimate, speechEstimate, voiceEstimate } from '../estimate.ts'
import { TryLayout } from '../layout.tsx'
import { useModelChoice } from '../model-choice.tsx'
import { OrderForm } from '../order-form.tsx'
import { OutcomeCharge } from '../outcome-charge.tsx'
import { Recorder } from './recorder.tsx'
import type { Recording } from './recording.ts'
import { useOrder } from '../use-order.ts'
import {
  readVoice,
  sendVoice,
  voiceCall,
  type VoiceResult,
  type VoiceSettings,
  type Way,
} from './calls.ts'
import { VoiceAnswer } from './answer.tsx'
import { VoiceSettingsFields } from './settings.tsx'
import { voiceWords } from './words.ts'

const PLAIN: VoiceSettings = { language: 'sw', reply: 'sw', voice: '', input: '' }
const NO_RECORDING = { name: 'sauti.webm', format: 'webm' }
const GUESSED_S = 10

export default function VoicePage() {
  const words = useWords(voiceWords)
  const [way, setWay] = useWay()
  const [settings, setSettings] = useStored('voice settings', PLAIN)
  const [recording, setRecording] = useRemembered<Recording | undefined>('recording', undefined)
  const order = useOrder<VoiceResult & { way: Way }>('voice')
  const hearing = useModelChoice('hearing', makes('transcription'))
  const text = useModelChoice('voice text', makes('text'))
  const speech = useModelChoice('speech', makes('speech'))
  const voices = speech.model?.supported_voices ?? []
  const request = {
    ...settings,
    way,
    voice: voices.includes(settings.voice) ? settings.voice : '',
    input: settings.input.trim() || words.inputExample,
    hearing: hearing.model?.id ?? '',
    text: text.model?.id ?? '',
    speech: speech.model?.id ?? '',
  }
  const call = voiceCall(request, recording ?? NO_RECORDING)
  const seconds = recording?.seconds ?? GUESSED_S
  const estimate = {
    talk: () =>
      voiceEstimate({ hearing: hearing.model, text: text.model, speech: speech.model }, seconds),
    hear: () => hearingEstimate(hearing.model, seconds),
    speak: () => speechEstimate(speech.model, request.input),
  }[way]()
  const isReady = way === 'speak' ? settings.input.trim() !== '' : recording !== undefined
  const run = () =>
    void order.run(
      { request, size: recording?.blob.size, at: Date.now() },
      ({ signal }) => sendVoice(call, recording, signal),
      async (response) => ({ ...(await readVoice(way, response)), way }),
    )
  const { outcome } = order
  return (
    <TryLayout
      choice={way === 'speak' ? speech : hearing}
      tab="voice"
      call={call}
      settings={
        <VoiceSettingsFields
          way={way}
          choices={{ hearing, text, speech }}
          settings={settings}
          onChange={setSettings}
        />
      }
    >
      <div className="flex flex-col gap-4">
        <Choices
          label={words.ways}
          value={way}
          options={(['talk', 'hear', 'speak'] as const).map((value) => ({
            value,
            label: words.way[value],
          }))}
          onChange={setWay}
        />
        <OrderForm
          order={order}
          estimate={estimate}
          button={words.send[way]}
          disabled={!isReady}
          repeatable={false}
          onRun={run}
        >
          <p className="text-soft">{words.say[way]}</p>
          {way === 'speak' ? (
            <TextArea
              label={words.input}
              placeholder={words.inputExample}
              value={settings.input}
              onChange={(input) => setSettings({ ...settings, input })}
            />
          ) : (
            <Recorder recording={recording} onChange={setRecording} />
          )}
        </OrderForm>
        {outcome?.result.way === way && !order.busy && (
          <VoiceAnswer result={outcome.result}>
            <OutcomeCharge outcome={outcome} onKnown={order.noteCharge} />
          </VoiceAnswer>
        )}
      </div>
    </TryLayout>
  )
}

const makes = (output: string) => (model: { output_modalities: string[] }) =>
  model.output_modalities.includes(output)

/** The mode used last; a model named in the address selects the mode that uses it. */
function useWay(): [Way, (way: Way) => void] {
  const [last, setLast] = useStored<Way>('voice way', 'talk')
  const [search, setSearch] = useSearchParams()
  const catalog = useCatalog()
  const named = catalog.data?.data.find(({ id }) => id === search.get('model'))
  const outputs = named?.output_modalities ?? []
  const way = outputs.includes('speech')
    ? 'speak'
    : outputs.includes('transcription')
      ? 'hear'
      : last
  const choose = (next: Way) => {
    setLast(next)
    if (search.has('model')) setSearch({}, { replace: true })
  }
  return [way, choose]
}
