import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAskAgain } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { useFilters } from '../../../parts/filters.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/select.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActDialog } from '../act-dialog.tsx'
import { useOperator } from '../operator.ts'
import { ReadsOnly } from '../reads-only.tsx'
import { List } from './list.tsx'
import { Margins } from './margins.tsx'
import { Waiting } from './waiting.tsx'
import { modelsWords } from './words.ts'

const TABS = ['list', 'waiting', 'margins'] as const
type Tab = (typeof TABS)[number]

export default function Page() {
  const words = useWords(modelsWords)
  const { may } = useOperator()
  const [filters, change] = useFilters({ tab: 'list' })
  const [isSyncing, setSyncing] = useState(false)
  const [done, setDone] = useState('')
  const tab = TABS.find((one) => one === filters.tab) ?? 'list'
  return (
    <>
      <PageTitle title={words.title}>
        {may('owner') && (
          <Button kind="plain" icon="download" onClick={() => setSyncing(true)}>
            {words.sync}
          </Button>
        )}
      </PageTitle>
      <ReadsOnly need="owner" />
      {done !== '' && (
        <div className="mb-4">
          <Notice tone="good">{done}</Notice>
        </div>
      )}
      <div className="mb-4">
        <Choices<Tab>
          label={words.part}
          value={tab}
          options={TABS.map((value) => ({ value, label: words.parts[value] }))}
          onChange={(next) => change({ tab: next })}
        />
      </div>
      {tab === 'list' && <List onDone={setDone} />}
      {tab === 'waiting' && <Waiting onDone={setDone} />}
      {tab === 'margins' && <Margins onDone={setDone} />}
      {isSyncing && (
        <Sync
          onDone={(said) => (setSyncing(false), setDone(said))}
          onClose={() => setSyncing(false)}
        />
      )}
    </>
  )
}

function Sync({ onDone, onClose }: { onDone(said: string): void; onClose(): void }) {
  const words = useWords(modelsWords)
  const again = useAskAgain()
  const { number } = useFormats()
  return (
    <ActDialog
      title={words.syncTitle}
      why={words.syncWhy}
      act={words.sync}
      harmless
      kinds={{ conflict: words.syncBusy }}
      perform={({ reason, idempotencyKey }) =>
        ask('POST /v1/operator/catalog/sync', { body: { reason }, idempotencyKey })
      }
      onDone={({ data: { added, priced, gone, waiting, failed } }) => {
        const counts = [added, priced, gone, waiting].map((one) => number(one))
        const said = words.synced(...(counts as [string, string, string, string]))
        onDone(failed.length === 0 ? said : `${said} ${words.syncFailed(failed.join(', '))}`)
        return again(
          'GET /v1/operator/models',
          'GET /v1/operator/prices/waiting',
          'GET /v1/operator/attention',
        )
      }}
      onClose={onClose}
    />
  )
}
