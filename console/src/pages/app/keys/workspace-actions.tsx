import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAskAgain } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/confirm.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Field } from '../../../parts/field.tsx'
import { commonWords } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import type { Workspace } from './page.tsx'
import { keysWords } from './words.ts'

export type WorkspaceAct =
  | { act: 'create'; workspace?: undefined }
  | { act: 'rename' | 'delete'; workspace: Workspace }

export function WorkspaceActions(props: WorkspaceAct & { onClose(): void }) {
  if (props.act === 'delete')
    return <DeleteWorkspace workspace={props.workspace} onClose={props.onClose} />
  return <NameWorkspace workspace={props.workspace} onClose={props.onClose} />
}

type NameProps = { workspace: Workspace | undefined; onClose(): void }

function NameWorkspace({ workspace, onClose }: NameProps) {
  const words = useWords(keysWords)
  const common = useWords(commonWords)
  const again = useAskAgain()
  const [name, setName] = useState(workspace?.name ?? '')
  const save = useMutation({
    mutationFn: async () => {
      const body = { name: name.trim() }
      if (workspace === undefined) await ask('POST /v1/workspaces', { body })
      else await ask('PATCH /v1/workspaces/{slug}', { path: { slug: workspace.slug }, body })
    },
    onSuccess: () => (onClose(), again('GET /v1/workspaces')),
  })
  return (
    <Dialog title={workspace ? words.workspaceRename : words.workspaceCreate} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => (event.preventDefault(), save.mutate())}
        className="flex flex-col gap-4"
      >
        <Field
          label={words.workspaceName}
          hint={words.workspaceHint}
          value={name}
          onChange={setName}
          maxLength={100}
          autoComplete="off"
        />
        <FailureNotice
          error={save.error}
          kinds={{ conflict: words.workspaceTaken, forbidden: words.workspaceFull }}
        />
        <Button type="submit" wide busy={save.isPending} disabled={name.trim() === ''}>
          {common.save}
        </Button>
      </form>
    </Dialog>
  )
}

function DeleteWorkspace({ workspace, onClose }: { workspace: Workspace; onClose(): void }) {
  const words = useWords(keysWords)
  const again = useAskAgain()
  const remove = useMutation({
    mutationFn: () => ask('DELETE /v1/workspaces/{slug}', { path: { slug: workspace.slug } }),
    onSuccess: () => (onClose(), again('GET /v1/workspaces', 'GET /v1/api-keys')),
  })
  return (
    <Confirm
      title={words.workspaceDeleteTitle(workspace.name)}
      why={words.workspaceDeleteWhy}
      act={words.workspaceDelete}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
