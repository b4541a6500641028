import { Bars } from '../../../parts/bars.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money } from '../../../parts/money.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useFortnight } from '../pace.ts'
import { overviewWords } from './words.ts'

type Daily = NonNullable<ReturnType<typeof useFortnight>['data']>['data']

export function Fortnight() {
  const words = useWords(overviewWords)
  const { amount, shortDay } = useFormats()
  const daily = useFortnight()
  return (
    <Section title={words.fortnight}>
      <Loaded query={daily} shape={<Skeleton lines={2} tall />}>
        {({ data }) => (
          <div className="card flex flex-col gap-4 p-5">
            <p>
              <span className="text-soft">{words.used}: </span>
              <strong>
                <Money credits={data.total.cost_credits} />
              </strong>
            </p>
            <Bars
              caption={words.fortnight}
              unit={words.unit}
              bars={data.days.map(({ day, cost_credits }) => ({
                key: day,
                label: shortDay(`${day}T12:00:00+03:00`),
                value: cost_credits,
                shown: amount(cost_credits),
              }))}
            />
            {data.total.requests > 0 && <ByModel daily={data} />}
          </div>
        )}
      </Loaded>
    </Section>
  )
}

const SHOWN = 5

/** The most expensive first, each with its share. */
function ByModel({ daily: { groups = [], total } }: { daily: Daily }) {
  const words = useWords(overviewWords)
  const { number } = useFormats()
  const rest = groups.slice(SHOWN)
  const lines = groups.slice(0, SHOWN).map(({ id, cost_credits }) => ({
    name: id ?? '–',
    credits: cost_credits,
  }))
  if (rest.length > 0) {
    const credits = rest.reduce((sum, group) => sum + group.cost_credits, 0)
    lines.push({ name: words.otherModels(number(rest.length)), credits })
  }
  return (
    <ul aria-label={words.byModel} className="flex flex-col gap-3 border-t border-line pt-4">
      {lines.map(({ name, credits }) => (
        <li key={name}>
          <div className="flex justify-between gap-3 text-sm">
            <span className="min-w-0 truncate font-medium">{name}</span>
            <Money credits={credits} />
          </div>
          <svg
            viewBox="0 0 100 2"
            preserveAspectRatio="none"
            aria-hidden="true"
            className="mt-1 h-1.5 w-full"
          >
            <rect width="100" height="2" className="fill-line" />
            <rect
              width={total.cost_credits > 0 ? (credits / total.cost_credits) * 100 : 0}
              height="2"
              className="fill-green"
            />
          </svg>
        </li>
      ))}
    </ul>
  )
}
