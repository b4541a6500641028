import type { ReactNode } from 'react'
import { Money, Tzs } from '../../../parts/money.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Overview } from './business.tsx'
import { overviewWords } from './words.ts'

type Props = { days: number; now: Overview; before: Overview | undefined }

/** Six figures, against as many days before. */
export function Figures({ days, now, before }: Props) {
  const words = useWords(overviewWords)
  const { number } = useFormats()
  const against = (read: (one: Overview) => number) => (
    <Against now={read(now)} before={before && read(before)} days={days} />
  )
  const figure = (
    label: string,
    read: (one: Overview) => number,
    show: (value: number) => ReactNode,
  ) => (
    <Figure label={label} below={against(read)}>
      {show(read(now))}
    </Figure>
  )
  const credits = (value: number) => <Money credits={value} />
  return (
    <Section title={words.figures}>
      <dl className="max-sm:card max-sm:divide-y max-sm:divide-line max-sm:px-4 sm:grid sm:grid-cols-2 sm:gap-3 xl:grid-cols-3">
        {figure(
          words.received,
          (one) => one.received_tzs,
          (value) => (
            <Tzs amount={value} />
          ),
        )}
        {figure(words.sold, (one) => one.credits['topup'] ?? 0, credits)}
        {figure(words.given, givenIn, credits)}
        {figure(words.used, (one) => one.used_credits, credits)}
        {figure(words.uncollected, (one) => one.uncollected_credits, credits)}
        <Figure label={words.owed} below={words.owedBelow(number(now.owed.accounts))}>
          <Money credits={now.owed.balance_credits} />
        </Figure>
      </dl>
    </Section>
  )
}

type FigureProps = { label: string; below: ReactNode; children: ReactNode }

/** A card on a desktop, a line of one card on a phone. */
function Figure({ label, below, children }: FigureProps) {
  return (
    <div className="grid grid-cols-[1fr_auto] items-center gap-x-3 max-sm:py-2.5 sm:card sm:grid-cols-1 sm:content-start sm:gap-1 sm:p-4">
      <dt className="text-soft sm:text-sm">{label}</dt>
      <dd className="figures text-right text-lg font-semibold sm:text-left sm:text-xl">
        {children}
      </dd>
      <dd className="text-sm text-soft max-sm:col-span-2">{below}</dd>
    </div>
  )
}

/** Everything that was added without money; a correction downwards takes of it. */
const givenIn = ({ credits }: Overview) =>
  Object.entries(credits)
    .filter(([type]) => type !== 'topup')
    .reduce((sum, [, amount]) => sum + amount, 0)

type AgainstProps = { now: number; before: number | undefined; days: number }

function Against({ now, before, days }: AgainstProps) {
  const words = useWords(overviewWords)
  const { number, percent } = useFormats()
  if (before === undefined) return '…'
  if (now === before) return words.same
  if (before === 0) return words.new
  const change = ((now - before) / Math.abs(before)) * 100
  const arrow = change > 0 ? '▲' : '▼'
  const size = Math.abs(change) < 10 ? change.toFixed(1) : change.toFixed(0)
  return (
    <>
      <span className="figures font-medium text-ink">
        <span aria-hidden="true">{arrow} </span>
        {change > 0 ? '+' : ''}
        {percent(Number(size))}
      </span>{' '}
      {words.against(number(days))}
    </>
  )
}
