import { useState } from 'react'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { CreateKey } from './create-key.tsx'
import { NewKey } from './new-key.tsx'
import { KeyDialogs } from './key-dialogs.tsx'
import type { CreatedKey, KeyDialog, WorkspaceDialog } from './types.ts'
import { WorkspaceKeys } from './workspace-keys.tsx'
import { WorkspaceDialogs } from './workspace-dialogs.tsx'
import { keysWords } from './words.ts'

/** Keys by workspace. One dialog at a time: create, the new secret, or a change. */
export default function Page() {
  const words = useWords(keysWords)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedKey>()
  const [keyDialog, setKeyDialog] = useState<KeyDialog>()
  const [workspaceDialog, setWorkspaceDialog] = useState<WorkspaceDialog>()
  const workspaces = useAsk('GET /v1/workspaces', { query: { limit: 100 } })
  const keys = useAsk('GET /v1/api-keys', { query: { limit: 100 } })
  const showOnce = (key: CreatedKey) => (
    setCreating(false),
    setKeyDialog(undefined),
    setCreated(key)
  )
  return (
    <>
      <PageTitle title={words.title} lead={words.lead}>
        <Button icon="plus" onClick={() => setCreating(true)}>
          {words.create}
        </Button>
        <Button kind="plain" onClick={() => setWorkspaceDialog({ kind: 'create' })}>
          {words.newWorkspace}
        </Button>
      </PageTitle>
      <Loaded query={workspaces} shape={<Skeleton lines={3} tall />}>
        {({ data: spaces }) => (
          <>
            <Loaded query={keys} shape={<Skeleton lines={3} tall />}>
              {({ data: all }) =>
                all.length === 0 && spaces.length === 1 ? (
                  <Empty icon="key" title={words.none}>
                    <p>{words.noneWhy}</p>
                    <Button icon="plus" onClick={() => setCreating(true)}>
                      {words.create}
                    </Button>
                  </Empty>
                ) : (
                  spaces.map((space) => (
                    <WorkspaceKeys
                      key={space.id}
                      workspace={space}
                      keys={all.filter((key) => key.workspace_id === space.id)}
                      onKey={setKeyDialog}
                      onWorkspace={setWorkspaceDialog}
                    />
                  ))
                )
              }
            </Loaded>
            {isCreating && (
              <CreateKey
                workspaces={spaces}
                onCreated={showOnce}
                onClose={() => setCreating(false)}
              />
            )}
          </>
        )}
      </Loaded>
      {keyDialog && (
        <KeyDialogs
          dialog={keyDialog}
          onCreated={showOnce}
          onClose={() => setKeyDialog(undefined)}
        />
      )}
      {workspaceDialog && (
        <WorkspaceDialogs dialog={workspaceDialog} onClose={() => setWorkspaceDialog(undefined)} />
      )}
      {created && <NewKey created={created} onClose={() => setCreated(undefined)} />}
    </>
  )
}
