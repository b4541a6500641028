import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Choices, Select } from '../../../parts/form/select.tsx'
import { useWords } from '../../../words/language.tsx'
import type { CreatedKey, Workspace } from './types.ts'
import { workspaceName } from './workspace-name.ts'
import { keysWords } from './words.ts'

const DAYS = { never: 0, d30: 30, d90: 90, d365: 365 }
type Expiry = keyof typeof DAYS

type Props = { workspaces: Workspace[]; onCreated(key: CreatedKey): void; onClose(): void }

export function CreateKey({ workspaces, onCreated, onClose }: Props) {
  const words = useWords(keysWords)
  const [name, setName] = useState('')
  const [workspace, setWorkspace] = useState(workspaces[0]!.id)
  const [expiry, setExpiry] = useState<Expiry>('never')
  const form = useForm({
    send: () =>
      ask('POST /v1/api-keys', {
        body: { name: name.trim(), workspace_id: workspace, ...expiresAt(expiry) },
      }),
    renews: ['GET /v1/api-keys', 'GET /v1/notifications'],
    onDone: ({ data }) => onCreated({ name: data.name, key: data.key }),
  })
  return (
    <Dialog title={words.create} onClose={onClose}>
      <Form form={form} button={words.create} disabled={name.trim() === ''}>
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
      </Form>
    </Dialog>
  )
}

function expiresAt(expiry: Expiry): { expires_at?: string } {
  const days = DAYS[expiry]
  return days === 0 ? {} : { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() }
}
