import { send } from '../../../../client/ask.ts'
import { useStored } from '../../../../client/device-storage.ts'
import { useAskAgain } from '../../../../client/use-ask.ts'
import { Field, TextArea } from '../../../../parts/form/field.tsx'
import { Select } from '../../../../parts/form/select.tsx'
import { useWords } from '../../../../words/language.tsx'
import { videoEstimate } from '../estimate.ts'
import { TryLayout } from '../layout.tsx'
import { ModelSelect, useModelChoice } from '../model-choice.tsx'
import { OrderForm } from '../order-form.tsx'
import { useOrder } from '../use-order.ts'
import { VideoJobs } from './jobs.tsx'
import { videoWords } from './words.ts'
import { tryWords } from '../words.ts'

const PLAIN = { prompt: '', seconds: '', resolution: '', shape: '' }
const USUAL_S = 6

export default function VideoPage() {
  const words = useWords(videoWords)
  const choice = useModelChoice('video', (model) => model.output_modalities.includes('video'))
  const [settings, setSettings] = useStored('video', PLAIN)
  const order = useOrder<string>('video')
  const again = useAskAgain()
  const body = {
    model: choice.model?.id ?? '',
    prompt: settings.prompt.trim() || words.example,
    ...(settings.seconds === '' ? {} : { duration: Number(settings.seconds) }),
    ...(settings.resolution === '' ? {} : { resolution: settings.resolution }),
    ...(settings.shape === '' ? {} : { aspect_ratio: settings.shape }),
  }
  const estimate = videoEstimate(choice.model, Number(settings.seconds) || USUAL_S)
  const run = () =>
    void order.run(
      body,
      (attempt) => send('POST /v1/videos', { body, ...attempt }),
      async (response) => {
        const { data } = (await response.json()) as { data: { job_id: string } }
        void again('GET /v1/videos', 'GET /v1/billing/balance')
        return data.job_id
      },
    )
  return (
    <TryLayout
      choice={choice}
      tab="video"
      call={{ path: '/v1/videos', body }}
      settings={
        <>
          <ModelSelect choice={choice} />
          <VideoParameters settings={settings} onChange={setSettings} />
        </>
      }
    >
      <div className="flex flex-col gap-6">
        <div className="flex flex-col gap-4">
          <OrderForm
            order={order}
            estimate={estimate}
            button={words.make}
            disabled={settings.prompt.trim() === ''}
            onRun={run}
          >
            <TextArea
              label={words.prompt}
              placeholder={words.example}
              hint={words.held}
              rows={3}
              value={settings.prompt}
              onChange={(prompt) => setSettings({ ...settings, prompt })}
            />
          </OrderForm>
        </div>
        <VideoJobs ordered={order.outcome?.result} />
      </div>
    </TryLayout>
  )
}

type ParametersProps = { settings: typeof PLAIN; onChange(next: typeof PLAIN): void }

function VideoParameters({ settings, onChange }: ParametersProps) {
  const words = useWords(videoWords)
  const common = useWords(tryWords)
  const any = { value: '', label: common.modelChooses }
  return (
    <>
      <Field
        label={words.seconds}
        placeholder={common.modelChooses}
        hint={words.secondsSay}
        type="number"
        inputMode="numeric"
        min={1}
        max={60}
        value={settings.seconds}
        onChange={(seconds) => onChange({ ...settings, seconds })}
      />
      <Select
        label={words.resolution}
        value={settings.resolution}
        options={[any, ...['480p', '720p', '1080p'].map((value) => ({ value, label: value }))]}
        onChange={(resolution) => onChange({ ...settings, resolution })}
      />
      <Select
        label={words.shape}
        value={settings.shape}
        options={[any, ...Object.entries(words.shapes).map(([value, label]) => ({ value, label }))]}
        onChange={(shape) => onChange({ ...settings, shape })}
      />
    </>
  )
}
