import { useState } from 'react'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyOnce, type MadeKey } from './key-once.tsx'
import { KeyActions, type KeyAct } from './key-actions.tsx'
import { WorkspaceKeys } from './workspace-keys.tsx'
import { WorkspaceActions, type WorkspaceAct } from './workspace-actions.tsx'
import { keysWords } from './words.ts'

export type Key = Answer<'GET /v1/api-keys'>['data'][number]
export type Workspace = Answer<'GET /v1/workspaces'>['data'][number]

/** Keys by workspace. One dialog at a time: making, the secret shown once, or a change. */
export default function Page() {
  const words = useWords(keysWords)
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<MadeKey>()
  const [keyAct, setKeyAct] = useState<KeyAct>()
  const [workspaceAct, setWorkspaceAct] = useState<WorkspaceAct>()
  const workspaces = useAsk('GET /v1/workspaces', { query: { limit: 100 } })
  const keys = useAsk('GET /v1/api-keys', { query: { limit: 100 } })
  const showOnce = (key: MadeKey) => (setCreating(false), setKeyAct(undefined), setMade(key))
  return (
    <>
      <PageTitle title={words.title} lead={words.lead}>
        <Button icon="plus" onClick={() => setCreating(true)}>
          {words.create}
        </Button>
        <Button kind="plain" onClick={() => setWorkspaceAct({ act: 'create' })}>
          {words.newWorkspace}
        </Button>
      </PageTitle>
      <Loaded query={workspaces} shape={<Skeleton lines={3} tall />}>
        {({ data: spaces }) => (
          <>
            <Loaded query={keys} shape={<Skeleton lines={3} tall />}>
              {({ data: all }) =>
                all.length === 0 && spaces.length === 1 ? (
                  <div className="card">
                    <Empty icon="key" title={words.none}>
                      <p>{words.noneWhy}</p>
                      <Button icon="plus" onClick={() => setCreating(true)}>
                        {words.create}
                      </Button>
                    </Empty>
                  </div>
                ) : (
                  spaces.map((space) => (
                    <WorkspaceKeys
                      key={space.id}
                      workspace={space}
                      keys={all.filter((key) => key.workspace_id === space.id)}
                      onKey={setKeyAct}
                      onWorkspace={setWorkspaceAct}
                    />
                  ))
                )
              }
            </Loaded>
            {isCreating && (
              <CreateKey workspaces={spaces} onMade={showOnce} onClose={() => setCreating(false)} />
            )}
          </>
        )}
      </Loaded>
      {keyAct && <KeyActions {...keyAct} onMade={showOnce} onClose={() => setKeyAct(undefined)} />}
      {workspaceAct && (
        <WorkspaceActions {...workspaceAct} onClose={() => setWorkspaceAct(undefined)} />
      )}
      {made && <KeyOnce made={made} onClose={() => setMade(undefined)} />}
    </>
  )
}
