import type { ReactNode } from 'react'
import { Money, Tzs } from '../../../parts/money.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { DetailList } from '../detail-list.tsx'
import type { Overview } from './types.ts'
import { overviewWords } from './words.ts'

type Props = { days: number; now: Overview; before: Overview | undefined }

/** Six figures, compared with the period before. */
export function MainFigures({ days, now, before }: Props) {
  const words = useWords(overviewWords)
  const { number } = useFormats()
  const tzs = (value: number) => <Tzs amount={value} />
  const credits = (value: number) => <Money credits={value} />
  const figure = (
    label: string,
    read: (one: Overview) => number,
    show: (value: number) => ReactNode,
  ) => (
    <Figure
      label={label}
      below={<ChangeSince now={read(now)} before={before && read(before)} days={days} />}
    >
      {show(read(now))}
    </Figure>
  )
  return (
    <Section title={words.figures}>
      <dl className="max-sm:card max-sm:divide-y max-sm:divide-line max-sm:px-4 sm:grid sm:grid-cols-2 sm:gap-3 xl:grid-cols-3">
        {figure(words.received, (one) => one.received_tzs, tzs)}
        {figure(words.margin, (one) => one.margin_tzs, tzs)}
        {figure(words.cost, (one) => one.upstream_tzs, tzs)}
        {figure(words.sold, (one) => one.credits['topup'] ?? 0, credits)}
        {figure(words.used, (one) => one.used_credits, credits)}
        <Figure
          label={words.owed}
          below={
            <>
              {words.owedBelow(number(now.owed.accounts))}
              <br />
              {words.paidIn}: <Tzs amount={now.paid_in.received_tzs} />
            </>
          }
        >
          <Money credits={now.owed.balance_credits} />
        </Figure>
      </dl>
    </Section>
  )
}

/** The smaller figures. */
export function OtherFigures({ now }: { now: Overview }) {
  const words = useWords(overviewWords)
  const { number, percent } = useFormats()
  const share = now.not_reported_share
  const unknownFees = now.fees_unknown
  return (
    <Section title={words.rest}>
      <DetailList
        details={[
          [words.earned, <Tzs key="earned" amount={now.earned_tzs} />],
          [words.given, <Money key="given" credits={now.gift_credits} />],
          [
            words.fees,
            <span key="fees">
              <Tzs amount={now.fees_tzs} />
              {unknownFees > 0 && `, ${words.feesUnknown(number(unknownFees))}`}
            </span>,
          ],
          [words.refunded, <Money key="refunded" credits={now.refunded_credits} />],
          [words.uncollected, <Money key="uncollected" credits={now.uncollected_credits} />],
          [words.waived, <Money key="waived" credits={now.waived_credits} />],
          [
            words.calls,
            `${number(now.requests)} (${words.failedCalls(number(now.failed_requests))})`,
          ],
        ]}
      />
      {share > 0 && (
        <p className="text-sm text-soft">{words.guessed(percent(Math.ceil(share * 1000) / 10))}</p>
      )}
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

type ChangeProps = { now: number; before: number | undefined; days: number }

function ChangeSince({ now, before, days }: ChangeProps) {
  const words = useWords(overviewWords)
  const { number, percent } = useFormats()
  if (before === undefined) return '…'
  if (now === before) return words.same
  if (before === 0) return words.new
  const change = ((now - before) / Math.abs(before)) * 100
  const size = Number(Math.abs(change) < 10 ? change.toFixed(1) : change.toFixed(0))
  return (
    <>
      <span className="figures font-medium text-ink">
        <span aria-hidden="true">{change > 0 ? '▲ ' : '▼ '}</span>
        {change > 0 ? '+' : ''}
        {percent(size)}
      </span>{' '}
      {words.against(number(days))}
    </>
  )
}
