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
import type { MadeKey } from './key-once.tsx'
import type { Key } from './page.tsx'
import { keysWords } from './words.ts'

export type KeyAct = { act: 'rename' | 'revoke' | 'leaked'; target: Key }
type Props = KeyAct & { onMade(key: MadeKey): void; onClose(): void }

export function KeyActions({ act, target, onMade, onClose }: Props) {
  if (act === 'rename') return <Rename target={target} onClose={onClose} />
  if (act === 'revoke') return <Revoke target={target} onClose={onClose} />
  return <Leaked target={target} onMade={onMade} onClose={onClose} />
}

type OneProps = { target: Key; onClose(): void }

function Rename({ target, onClose }: OneProps) {
  const words = useWords(keysWords)
  const common = useWords(commonWords)
  const again = useAskAgain()
  const [name, setName] = useState(target.name)
  const rename = useMutation({
    mutationFn: () =>
      ask('PATCH /v1/api-keys/{id}', { path: { id: target.id }, body: { name: name.trim() } }),
    onSuccess: () => (onClose(), again('GET /v1/api-keys')),
  })
  return (
    <Dialog title={words.rename} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => (event.preventDefault(), rename.mutate())}
        className="flex flex-col gap-4"
      >
        <Field
          label={words.name}
          value={name}
          onChange={setName}
          maxLength={100}
          autoComplete="off"
        />
        <FailureNotice error={rename.error} />
        <Button type="submit" wide busy={rename.isPending} disabled={name.trim() === ''}>
          {common.save}
        </Button>
      </form>
    </Dialog>
  )
}

function Revoke({ target, onClose }: OneProps) {
  const words = useWords(keysWords)
  const again = useAskAgain()
  const revoke = useMutation({
    mutationFn: () => ask('DELETE /v1/api-keys/{id}', { path: { id: target.id } }),
    onSuccess: () => (onClose(), again('GET /v1/api-keys')),
  })
  return (
    <Confirm
      title={words.revokeTitle(target.name)}
      why={words.revokeWhy}
      act={words.revokeDo}
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  )
}

/** The new one first: if that fails, nothing has changed and the program still runs. */
function Leaked({ target, onMade, onClose }: OneProps & { onMade(key: MadeKey): void }) {
  const words = useWords(keysWords)
  const again = useAskAgain()
  const replace = useMutation({
    mutationFn: async (): Promise<MadeKey> => {
      const { id, name, workspace_id, expires_at } = target
      const expiry = target.status === 'active' && expires_at ? { expires_at } : {}
      const { data } = await ask('POST /v1/api-keys', { body: { name, workspace_id, ...expiry } })
      const made = { name, key: data.key }
      return ask('DELETE /v1/api-keys/{id}', { path: { id } }).then(
        () => ({ ...made, old: 'revoked' }),
        () => ({ ...made, old: 'alive' }),
      )
    },
    onSuccess: (made) => (onMade(made), again('GET /v1/api-keys')),
  })
  return (
    <Confirm
      title={words.leakedTitle(target.name)}
      why={words.leakedWhy}
      act={words.leakedDo}
      busy={replace.isPending}
      error={replace.error}
      onConfirm={() => replace.mutate()}
      onClose={onClose}
    />
  )
}
