import { ask } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button, ButtonLink } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useFilters } from '../../../parts/filters.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Pager } from '../../../parts/pager.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { NoticeLine } from './notice-line.tsx'
import { noticesWords } from './words.ts'

export default function Page() {
  const words = useWords(noticesWords)
  const [{ which, offset }, change] = useFilters({ which: 'all', offset: '0' })
  const query = {
    limit: 20,
    offset: Number(offset) || 0,
    ...(which === 'unread' && { unread: 'true' as const }),
  }
  const notices = useAsk('GET /v1/notifications', { query })
  const readAll = useForm({
    send: () => ask('POST /v1/notifications/read-all'),
    renews: ['GET /v1/notifications'],
  })
  const hasNew = notices.data?.data.some((notice) => !notice.read) ?? false
  return (
    <div className="mx-auto max-w-3xl">
      <PageTitle title={words.title}>
        {hasNew && (
          <Button kind="plain" icon="check" busy={readAll.busy} onClick={() => readAll.submit()}>
            {words.readAll}
          </Button>
        )}
      </PageTitle>
      <FailureNotice error={readAll.error} />
      <div className="mb-4 flex flex-wrap justify-between gap-2">
        <Choices
          label={words.show}
          value={which}
          options={Object.entries(words.which).map(([value, label]) => ({ value, label }))}
          onChange={(next) => change({ which: next, offset: '0' })}
        />
        <ButtonLink to="/app/settings" kind="quiet" size="small" icon="gear">
          {words.preferences}
        </ButtonLink>
      </div>
      <Loaded
        query={notices}
        shape={<Skeleton lines={4} tall />}
        empty={
          <Empty icon="bell" title={which === 'unread' ? words.noneUnread : words.none}>
            {words.noneWhy}
          </Empty>
        }
      >
        {({ data, pagination }) => (
          <div className="flex flex-col gap-4">
            <ul className="card divide-y divide-line">
              {data.map((notice) => (
                <NoticeLine key={notice.id} notice={notice} />
              ))}
            </ul>
            <Pager page={pagination} onOffset={(next) => change({ offset: String(next) })} />
          </div>
        )}
      </Loaded>
    </div>
  )
}
