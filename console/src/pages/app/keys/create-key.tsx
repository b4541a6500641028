import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAskAgain } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Field } from '../../../parts/field.tsx'
import { Choices, Select } from '../../../parts/select.tsx'
import { useWords } from '../../../words/language.tsx'
import type { MadeKey } from './key-once.tsx'
import type { Workspace } from './page.tsx'
import { workspaceName } from './workspace-name.ts'
import { keysWords } from './words.ts'

const DAYS = { never: 0, d30: 30, d90: 90, d365: 365 }
type Expiry = keyof typeof DAYS

type Props = { workspaces: Workspace[]; onMade(key: MadeKey): void; onClose(): void }

export function CreateKey({ workspaces, onMade, onClose }: Props) {
  const words = useWords(keysWords)
  const again = useAskAgain()
  const [name, setName] = useState('')
  const [workspace, setWorkspace] = useState(workspaces[0]!.id)
  const [expiry, setExpiry] = useState<Expiry>('never')
  const create = useMutation({
    mutationFn: () =>
      ask('POST /v1/api-keys', {
        body: { name: name.trim(), workspace_id: workspace, ...expiresAt(expiry) },
      }),
    onSuccess: ({ data }) => {
      onMade({ name: data.name, key: data.key })
      return again('GET /v1/api-keys', 'GET /v1/notifications')
    },
  })
  return (
    <Dialog title={words.create} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => (event.preventDefault(), create.mutate())}
        className="flex flex-col gap-4"
      >
        <Field
          label={words.name}
          hint={words.nameHint}
          value={name}
          onChange={setName}
          maxLength={100}
          autoComplete="off"
        />
        {workspaces.length > 1 && (
          <Select
            label={words.workspace}
            value={workspace}
            options={workspaces.map((one) => ({
              value: one.id,
              label: workspaceName(one, words.default),
            }))}
            onChange={setWorkspace}
          />
        )}
        <div className="flex flex-col gap-1.5">
          <p className="text-sm font-semibold">{words.expires}</p>
          <Choices<Expiry>
            label={words.expires}
            value={expiry}
            options={(Object.keys(DAYS) as Expiry[]).map((value) => ({
              value,
              label: words.expiries[value],
            }))}
            onChange={setExpiry}
          />
        </div>
        <FailureNotice error={create.error} />
        <Button type="submit" wide busy={create.isPending} disabled={name.trim() === ''}>
          {words.create}
        </Button>
      </form>
    </Dialog>
  )
}

function expiresAt(expiry: Expiry): { expires_at?: string } {
  const days = DAYS[expiry]
  return days === 0 ? {} : { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() }
}
