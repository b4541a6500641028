import { useState } from 'react'
import { abilitiesOf, abilityWords, type Model } from '../../catalog/models.ts'
import { firstCallSamples } from '../../catalog/first-call.ts'
import { useOrigin } from '../../client/origin.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Sample } from '../../parts/sample.tsx'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'
import { Prices } from './prices.tsx'
import { modelWords } from './words.ts'

type Props = { model: Model; compared: boolean; onCompare(): void }

export function ModelCard({ model, compared, onCompare }: Props) {
  const words = useWords(modelWords)
  const abilities = useWords(abilityWords)
  const [open, setOpen] = useState(false)
  return (
    <article className="card flex h-full flex-col gap-3 p-4">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-lg break-words">{model.name}</h2>
          <p className="font-mono text-sm break-all text-soft">{model.id}</p>
        </div>
        <div className="flex flex-wrap gap-1">
          {abilitiesOf(model).map((ability) => (
            <Badge key={ability} tone="plain">
              {abilities[ability]}
            </Badge>
          ))}
        </div>
      </div>
      <Prices model={model} />
      {open && <Details model={model} />}
      <div className="mt-auto flex flex-wrap gap-2 pt-1">
        <ButtonLink to={tryAddress(model)} size="small">
          {words.try}
        </ButtonLink>
        <Button kind="plain" size="small" aria-pressed={compared} onClick={onCompare}>
          {compared ? words.compareOff : words.compare}
        </Button>
        <Button kind="quiet" size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.less : words.more}
        </Button>
      </div>
    </article>
  )
}

/** The playground opens with this model. */
function tryAddress(model: Model): string {
  const [ability = 'text'] = abilitiesOf(model)
  const room = {
    text: 'chat',
    image: 'image',
    transcription: 'voice',
    speech: 'voice',
    video: 'video',
    embeddings: 'embeddings',
  }
  return `/app/try/${room[ability]}?model=${encodeURIComponent(model.id)}`
}

function Details({ model }: { model: Model }) {
  const words = useWords(modelWords)
  const { number } = useFormats()
  const origin = useOrigin()
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3 text-sm">
      {model.description && <p>{model.description}</p>}
      {model.context_length !== undefined && <p>{words.context(number(model.context_length))}</p>}
      <Offered label={words.voices} values={model.supported_voices} />
      <Offered label={words.seconds} values={model.supported_durations} />
      <Offered label={words.resolutions} values={model.supported_resolutions} />
      <Offered label={words.shapes} values={model.supported_aspect_ratios} />
      <Offered label={words.sizes} values={model.supported_sizes} />
      <Offered label={words.parameters} values={model.supported_parameters} />
      <p>
        <Copy text={model.id} label={words.id} />
      </p>
      {abilitiesOf(model)[0] === 'text' && (
        <Sample label={words.sample} tabs={firstCallSamples(origin, model.id)} />
      )}
    </div>
  )
}

function Offered({ label, values }: { label: string; values: (string | number)[] | undefined }) {
  if (values === undefined || values.length === 0) return null
  return (
    <p className="break-words">
      <strong>{label}:</strong> {values.join(', ')}
    </p>
  )
}
