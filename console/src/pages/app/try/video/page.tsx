import { send } from '../../../../client/ask.ts'
import type { Model } from '../../../../catalog/models.ts'
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
  const offered = offeredBy(choice.model)
  const wanted = onlyOffered(settings, offered)
  const body = {
    model: choice.model?.id ?? '',
    prompt: settings.prompt.trim() || words.example,
    ...(wanted.seconds === '' ? {} : { duration: Number(wanted.seconds) }),
    ...(wanted.resolution === '' ? {} : { resolution: wanted.resolution }),
    ...(wanted.shape === '' ? {} : { aspect_ratio: wanted.shape }),
  }
  const estimate = videoEstimate(choice.model, Number(wanted.seconds) || USUAL_S)
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
          <VideoParameters settings={wanted} offered={offered} onChange={setSettings} />
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

type Offered = { seconds: string[]; resolution: string[]; shape: string[] }

/** What the model names; where it names no lengths, any may be typed. */
function offeredBy(model: Model | undefined): Offered {
  return {
    seconds: (model?.supported_durations ?? []).map(String),
    resolution: model?.supported_resolutions ?? ['480p', '720p', '1080p'],
    shape: model?.supported_aspect_ratios ?? ['16:9', '9:16', '1:1'],
  }
}

/** The settings may have been made for another model. */
function onlyOffered(settings: typeof PLAIN, { seconds, resolution, shape }: Offered) {
  const kept = (value: string, values: string[]) => (values.includes(value) ? value : '')
  return {
    ...settings,
    seconds: seconds.length === 0 ? settings.seconds : kept(settings.seconds, seconds),
    resolution: kept(settings.resolution, resolution),
    shape: kept(settings.shape, shape),
  }
}

type ParametersProps = {
  settings: typeof PLAIN
  offered: Offered
  onChange(next: typeof PLAIN): void
}

function VideoParameters({ settings, offered, onChange }: ParametersProps) {
  const words = useWords(videoWords)
  const common = useWords(tryWords)
  const shapes: Record<string, string> = words.shapes
  const options = (values: string[], labels: Record<string, string> = {}) => [
    { value: '', label: common.modelChooses },
    ...values.map((value) => ({ value, label: labels[value] ?? value })),
  ]
  const seconds = {
    label: words.seconds,
    value: settings.seconds,
    onChange: (seconds: string) => onChange({ ...settings, seconds }),
  }
  return (
    <>
      {offered.seconds.length > 0 ? (
        <Select {...seconds} options={options(offered.seconds)} />
      ) : (
        <Field
          {...seconds}
          placeholder={common.modelChooses}
          hint={words.secondsSay}
          type="number"
          inputMode="numeric"
          min={1}
          max={60}
        />
      )}
      <Select
        label={words.resolution}
        value={settings.resolution}
        options={options(offered.resolution)}
        onChange={(resolution) => onChange({ ...settings, resolution })}
      />
      <Select
        label={words.shape}
        value={settings.shape}
        options={options(offered.shape, shapes)}
        onChange={(shape) => onChange({ ...settings, shape })}
      />
    </>
  )
}
