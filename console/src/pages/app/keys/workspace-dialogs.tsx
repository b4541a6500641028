import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ConfirmDialog } from '../../../parts/form/confirm-dialog.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { commonWords } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import type { Workspace, WorkspaceDialog } from './types.ts'
import { keysWords } from './words.ts'

type Props = { dialog: WorkspaceDialog; onClose(): void }

export function WorkspaceDialogs({ dialog: { kind, workspace }, onClose }: Props) {
  if (kind === 'delete') return <DeleteWorkspace workspace={workspace} onClose={onClose} />
  return <NameWorkspace workspace={workspace} onClose={onClose} />
}

type NameProps = { workspace: Workspace | undefined; onClose(): void }

function NameWorkspace({ workspace, onClose }: NameProps) {
  const words = useWords(keysWords)
  const common = useWords(commonWords)
  const [name, setName] = useState(workspace?.name ?? '')
  const form = useForm({
    send: async () => {
      const body = { name: name.trim() }
      if (workspace === undefined) await ask('POST /v1/workspaces', { body })
      else await ask('PATCH /v1/workspaces/{slug}', { path: { slug: workspace.slug }, body })
    },
    renews: ['GET /v1/workspaces'],
    onDone: onClose,
  })
  return (
    <Dialog title={workspace ? words.workspaceRename : words.workspaceCreate} onClose={onClose}>
      <Form
        form={form}
        button={common.save}
        kinds={{ conflict: words.workspaceTaken, forbidden: words.workspaceFull }}
        disabled={name.trim() === ''}
      >
        <Field
          label={words.workspaceName}
          hint={words.workspaceHint}
          value={name}
          onChange={setName}
          maxLength={100}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}

function DeleteWorkspace({ workspace, onClose }: { workspace: Workspace; onClose(): void }) {
  const words = useWords(keysWords)
  const form = useForm({
    send: () => ask('DELETE /v1/workspaces/{slug}', { path: { slug: workspace.slug } }),
    renews: ['GET /v1/workspaces', 'GET /v1/api-keys'],
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      title={words.workspaceDeleteTitle(workspace.name)}
      why={words.workspaceDeleteWhy}
      button={words.workspaceDelete}
      form={form}
      onClose={onClose}
    />
  )
}
