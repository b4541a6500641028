import { send } from '../../../../client/ask.ts'
import type { Answer } from '../../../../client/ask.ts'
import { useStored } from '../../../../client/device-storage.ts'
import { TextArea } from '../../../../parts/form/field.tsx'
import { Select } from '../../../../parts/form/select.tsx'
import type { SampleCall } from '../../../../samples/types.ts'
import { useWords } from '../../../../words/language.tsx'
import { pictureEstimate } from '../estimate.ts'
import { imageWords } from './words.ts'
import { TryLayout } from '../layout.tsx'
import { ModelSelect, useModelChoice } from '../model-choice.tsx'
import { OrderForm } from '../order-form.tsx'
import { OutcomeCharge } from '../outcome-charge.tsx'
import { Picture } from '../picture.tsx'
import { blobOf } from '../voice/recording.ts'
import { useOrder } from '../use-order.ts'
import { tryWords } from '../words.ts'

const PLAIN = { prompt: '', count: '1', shape: '' }
const COUNTS = ['1', '2', '3', '4'].map((value) => ({ value, label: value }))

export default function ImagePage() {
  const words = useWords(imageWords)
  const common = useWords(tryWords)
  const choice = useModelChoice('image', (model) => model.output_modalities.includes('image'))
  const [settings, setSettings] = useStored('image', PLAIN)
  const order = useOrder<{ pictures: Blob[]; prompt: string }>('image')
  const count = Number(settings.count)
  const body = {
    model: choice.model?.id ?? '',
    prompt: settings.prompt.trim() || words.example,
    n: count,
    ...(settings.shape === '' ? {} : { aspect_ratio: settings.shape }),
  }
  const call: SampleCall = { path: '/v1/images/generations', body, answer: 'pictures' }
  const estimate = pictureEstimate(choice.model, count)
  const run = () =>
    void order.run(
      body,
      (attempt) => send('POST /v1/images/generations', { body, ...attempt }),
      async (response) => ({ pictures: await readPictures(response), prompt: body.prompt }),
    )
  const { outcome } = order
  return (
    <TryLayout
      choice={choice}
      tab="image"
      call={call}
      settings={
        <>
          <ModelSelect choice={choice} />
          <Select
            label={words.count}
            value={settings.count}
            options={COUNTS}
            onChange={(next) => setSettings({ ...settings, count: next })}
          />
          <Select
            label={words.shape}
            value={settings.shape}
            options={[
              { value: '', label: common.modelChooses },
              ...Object.entries(words.shapes).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(shape) => setSettings({ ...settings, shape })}
          />
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <OrderForm
          order={order}
          estimate={estimate}
          button={words.draw}
          disabled={settings.prompt.trim() === ''}
          onRun={run}
        >
          <TextArea
            label={words.prompt}
            placeholder={words.example}
            hint={common.twice}
            rows={3}
            value={settings.prompt}
            onChange={(prompt) => setSettings({ ...settings, prompt })}
          />
        </OrderForm>
        {order.busy && <PictureWaiting count={count} />}
        {outcome && !order.busy && (
          <section aria-label={common.result} aria-live="polite" className="flex flex-col gap-3">
            <div className={outcome.result.pictures.length > 1 ? 'grid grid-cols-2 gap-3' : ''}>
              {outcome.result.pictures.map((blob, at) => (
                <Picture
                  key={at}
                  blob={blob}
                  name={`picha-${at + 1}`}
                  text={outcome.result.prompt}
                />
              ))}
            </div>
            <OutcomeCharge outcome={outcome} onKnown={order.noteCharge} />
            <p className="text-sm text-soft">{words.notKept}</p>
          </section>
        )}
      </div>
    </TryLayout>
  )
}

/** Grey squares where the pictures will be. */
function PictureWaiting({ count }: { count: number }) {
  const words = useWords(imageWords)
  return (
    <div role="status">
      <span className="sr-only">{words.drawing}</span>
      <div className={count > 1 ? 'grid grid-cols-2 gap-3' : ''}>
        {Array.from({ length: count }, (_, at) => (
          <div key={at} className="pulse aspect-square w-full max-w-md rounded-md bg-line" />
        ))}
      </div>
    </div>
  )
}

async function readPictures(response: Response): Promise<Blob[]> {
  const { data } = (await response.json()) as Answer<'POST /v1/images/generations'>
  // The type comes from the model: anything but a picture type is not trusted.
  return data.map(({ b64_json, media_type }) =>
    blobOf(b64_json, /^image\/(png|jpeg|webp|gif)$/.test(media_type) ? media_type : 'image/png'),
  )
}
