import { send } from '../../../../client/ask.ts'
import { useStored } from '../../../../client/device-storage.ts'
import { useAskAgain } from '../../../../client/use-ask.ts'
import { Button } from '../../../../parts/button.tsx'
import { Field, TextArea } from '../../../../parts/form/field.tsx'
import { Select } from '../../../../parts/form/select.tsx'
import { useWords } from '../../../../words/language.tsx'
import { CallFailure } from '../call-failure.tsx'
import { videoEstimate } from '../estimate.ts'
import { EstimateLine } from '../estimate-line.tsx'
import { TryLayout } from '../layout.tsx'
import { ModelSelect, useModelChoice } from '../model-choice.tsx'
import { ModelReady } from '../model-ready.tsx'
import { useOrder } from '../use-order.ts'
import { VideoJobs } from './jobs.tsx'
import { videoWords } from './words.ts'
import { tryWords } from '../words.ts'

const PLAIN = { prompt: '', seconds: '', resolution: '', shape: '' }
const USUAL_S = 6

export default function VideoPage() {
  const words = useWords(videoWords)
  const choice = useModelChoice('video', (model) => model.output_modalities.includes('video'))
  const [wish, setWish] = useStored('video', PLAIN)
  const order = useOrder<string>('video')
  const again = useAskAgain()
  const body = {
    model: choice.model?.id ?? '',
    prompt: wish.prompt.trim() || words.example,
    ...(wish.seconds === '' ? {} : { duration: Number(wish.seconds) }),
    ...(wish.resolution === '' ? {} : { resolution: wish.resolution }),
    ...(wish.shape === '' ? {} : { aspect_ratio: wish.shape }),
  }
  const estimate = videoEstimate(choice.model, Number(wish.seconds) || USUAL_S)
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
      tab="video"
      call={{ path: '/v1/videos', body }}
      settings={
        <>
          <ModelSelect choice={choice} />
          <VideoParameters wish={wish} onChange={setWish} />
        </>
      }
    >
      <ModelReady choice={choice}>
        <div className="flex flex-col gap-6">
          <div className="flex flex-col gap-4">
            <div className="card flex flex-col gap-3 p-4">
              <TextArea
                label={words.prompt}
                placeholder={words.example}
                hint={words.held}
                rows={3}
                value={wish.prompt}
                onChange={(prompt) => setWish({ ...wish, prompt })}
              />
              <div className="flex flex-wrap items-center justify-between gap-2">
                <EstimateLine credits={estimate} />
                <Button onClick={run} disabled={wish.prompt.trim() === ''} busy={order.busy}>
                  {words.make}
                </Button>
              </div>
            </div>
            <CallFailure error={order.error} estimate={estimate} repeatable onRetry={run} />
          </div>
          <VideoJobs ordered={order.outcome?.result} />
        </div>
      </ModelReady>
    </TryLayout>
  )
}

type ParametersProps = { wish: typeof PLAIN; onChange(next: typeof PLAIN): void }

function VideoParameters({ wish, onChange }: ParametersProps) {
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
        value={wish.seconds}
        onChange={(seconds) => onChange({ ...wish, seconds })}
      />
      <Select
        label={words.resolution}
        value={wish.resolution}
        options={[any, ...['480p', '720p', '1080p'].map((value) => ({ value, label: value }))]}
        onChange={(resolution) => onChange({ ...wish, resolution })}
      />
      <Select
        label={words.shape}
        value={wish.shape}
        options={[any, ...Object.entries(words.shapes).map(([value, label]) => ({ value, label }))]}
        onChange={(shape) => onChange({ ...wish, shape })}
      />
    </>
  )
}
