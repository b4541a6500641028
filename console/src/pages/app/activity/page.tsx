import { useState } from 'react'
import { useAsk } from '../../../client/use-ask.ts'
import { Bars } from '../../../parts/bars.tsx'
import { ButtonLink } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money } from '../../../parts/money.tsx'
import { Pager } from '../../../parts/pager.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Stat } from '../../../parts/stat.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { CallDetail } from './call-detail.tsx'
import { Calls } from './calls.tsx'
import { DownloadCsv } from './download-csv.tsx'
import { ActivityFilters } from './activity-filters.tsx'
import { NoMatch } from './no-match.tsx'
import { useSelection, type Call, type Daily, type Selection } from './selection.ts'
import { activityWords } from './words.ts'

export default function Page() {
  const words = useWords(activityWords)
  const selection = useSelection()
  const daily = useAsk('GET /v1/activity/daily', {
    query: { ...selection.query(), group: 'model' },
  })
  return (
    <>
      <PageTitle
        title={words.title}
        lead={words.lead(daily.data?.data.zone ?? 'Africa/Dar_es_Salaam')}
      >
        <DownloadCsv query={selection.query()} />
      </PageTitle>
      <ActivityFilters selection={selection} />
      <div className="mt-6 flex flex-col gap-4">
        <Loaded query={daily} shape={<Skeleton lines={2} tall />}>
          {({ data }) => (data.total.requests === 0 ? null : <ActivitySums daily={data} />)}
        </Loaded>
        <RecordList selection={selection} />
      </div>
    </>
  )
}

function ActivitySums({ daily }: { daily: Daily }) {
  const words = useWords(activityWords)
  const { number, amount, shortDay } = useFormats()
  const { total, days } = daily
  return (
    <>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 max-sm:[&>:last-child]:col-span-2">
        <Stat label={words.requests}>{number(total.requests)}</Stat>
        <Stat label={words.tokens}>{number(total.total_tokens)}</Stat>
        <Stat label={words.cost}>
          <Money credits={total.cost_credits} />
        </Stat>
      </div>
      {days.length > 1 && (
        <div className="card p-4">
          <h2 className="mb-2 text-sm text-soft">{words.perDay}</h2>
          <Bars
            caption={words.perDay}
            unit={words.unit}
            bars={days.map(({ day, cost_credits }) => ({
              key: day,
              label: shortDay(`${day}T12:00:00+03:00`),
              value: cost_credits,
              shown: amount(cost_credits),
            }))}
          />
        </div>
      )}
    </>
  )
}

const ROWS = 25

function RecordList({ selection }: { selection: Selection }) {
  const words = useWords(activityWords)
  const [shown, setShown] = useState<Call>()
  const { offset, narrowing } = selection
  const calls = useAsk('GET /v1/activity', {
    query: { ...selection.query(), limit: ROWS, offset },
  })
  return (
    <Loaded query={calls} shape={<Skeleton lines={8} />}>
      {({ data, pagination }) =>
        data.length > 0 ? (
          <>
            <Calls calls={data} onShow={setShown} />
            <Pager
              page={pagination}
              onOffset={(next) => selection.change({ offset: String(next) })}
            />
            {shown && <CallDetail call={shown} onClose={() => setShown(undefined)} />}
          </>
        ) : narrowing.length > 0 ? (
          <NoMatch selection={selection} />
        ) : (
          <Empty icon="bars" title={words.none}>
            <p>{words.noneWhy}</p>
            <ButtonLink to="/app/try" icon="spark">
              {words.try}
            </ButtonLink>
          </Empty>
        )
      }
    </Loaded>
  )
}
