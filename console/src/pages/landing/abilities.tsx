import { Link } from 'wouter'
import { useCatalog, type Ability, type Model } from '../../catalog/models.ts'
import { priceLines, priceWords, type PriceLine } from '../../catalog/prices.ts'
import { useTzsOf } from '../../catalog/rate.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { commonWords } from '../../words/common.ts'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'
import { landingWords } from './words.ts'

const SHOWN = [
  { ability: 'text', icon: 'chat' },
  { ability: 'transcription', icon: 'mic' },
  { ability: 'speech', icon: 'play' },
  { ability: 'image', icon: 'picture' },
  { ability: 'video', icon: 'video' },
] as const satisfies { ability: Ability; icon: IconName }[]

/** What the models can do, and from which price. */
export function Abilities() {
  const words = useWords(landingWords)
  const models = useCatalog().data?.data ?? []
  return (
    <section className="column py-12 lg:py-16">
      <h2 className="text-2xl">{words.abilities}</h2>
      <p className="mt-1 mb-6 text-soft">{words.abilitiesLead}</p>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-5">
        {SHOWN.map(({ ability, icon }) => (
          <li key={ability}>
            <Link
              href={`/models?kind=${ability}`}
              className="card flex h-full items-start gap-4 p-4 hover:border-green lg:flex-col"
            >
              <span className="flex size-11 shrink-0 items-center justify-center rounded-sm bg-green-wash text-green">
                <Icon name={icon} size={24} />
              </span>
              <span className="flex min-w-0 flex-col gap-1">
                <span className="font-semibold">{words.make[ability]}</span>
                <StartingPrice line={cheapest(models, ability)} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function StartingPrice({ line }: { line: PriceLine | undefined }) {
  const words = useWords(landingWords)
  const units = useWords(priceWords)
  const common = useWords(commonWords)
  const { tzs, amount } = useFormats()
  const tzsOf = useTzsOf()
  if (line === undefined) return null
  const shillings = tzsOf(line.credits)
  const price = shillings === undefined ? common.credits(amount(line.credits)) : tzs(shillings)
  return (
    <span className="text-sm text-soft">
      {words.from} <span className="figures font-semibold text-ink">{price}</span>{' '}
      {units[line.unit]}
    </span>
  )
}

/** By the first price of each model, by which its kind is compared. */
function cheapest(models: readonly Model[], ability: Ability): PriceLine | undefined {
  return models
    .filter((model) => model.output_modalities[0] === ability && !model.is_free)
    .map((model) => priceLines(model)[0])
    .filter((line) => line !== undefined)
    .sort((one, other) => one.credits - other.credits)[0]
}
