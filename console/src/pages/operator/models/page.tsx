import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Button } from '../../../parts/button.tsx'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { useFilters } from '../../../parts/filters.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/form/select.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { useOperator } from '../operator.ts'
import { ReadsOnly } from '../reads-only.tsx'
import { ModelList } from './model-list.tsx'
import { MarginTab } from './margin-table.tsx'
import { WaitingPrices } from './waiting-prices.tsx'
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
      <DoneNotice>{done}</DoneNotice>
      <div className="mb-4">
        <Choices<Tab>
          label={words.part}
          value={tab}
          options={TABS.map((value) => ({ value, label: words.parts[value] }))}
          onChange={(next) => change({ tab: next })}
        />
      </div>
      {tab === 'list' && <ModelList onDone={setDone} />}
      {tab === 'waiting' && <WaitingPrices onDone={setDone} />}
      {tab === 'margins' && <MarginTab onDone={setDone} />}
      {isSyncing && <SyncCatalog onDone={setDone} onClose={() => setSyncing(false)} />}
    </>
  )
}

function SyncCatalog({ onDone, onClose }: { onDone(said: string): void; onClose(): void }) {
  const words = useWords(modelsWords)
  const { number } = useFormats()
  return (
    <ActionDialog
      title={words.syncTitle}
      why={words.syncWhy}
      button={words.sync}
      harmless
      kinds={{ conflict: words.syncBusy }}
      perform={(given) => ask('POST /v1/operator/catalog/sync', given)}
      renews={[
        'GET /v1/operator/models',
        'GET /v1/operator/prices/waiting',
        'GET /v1/operator/attention',
      ]}
      onDone={({ data: { added, priced, gone, waiting, failed } }) => {
        const counts = [added, priced, gone, waiting].map((one) => number(one))
        const said = words.synced(...(counts as [string, string, string, string]))
        onDone(failed.length === 0 ? said : `${said} ${words.syncFailed(failed.join(', '))}`)
      }}
      onClose={onClose}
    />
  )
}
