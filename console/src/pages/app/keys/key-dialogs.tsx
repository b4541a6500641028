import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ConfirmDialog } from '../../../parts/form/confirm-dialog.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { commonWords } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import type { CreatedKey, Key, KeyDialog } from './types.ts'
import { keysWords } from './words.ts'

type Props = { dialog: KeyDialog; onCreated(key: CreatedKey): void; onClose(): void }

export function KeyDialogs({ dialog: { kind, target }, onCreated, onClose }: Props) {
  if (kind === 'rename') return <RenameKey target={target} onClose={onClose} />
  if (kind === 'revoke') return <RevokeKey target={target} onClose={onClose} />
  return <ReplaceLeakedKey target={target} onCreated={onCreated} onClose={onClose} />
}

type KeyProps = { target: Key; onClose(): void }

function RenameKey({ target, onClose }: KeyProps) {
  const words = useWords(keysWords)
  const common = useWords(commonWords)
  const [name, setName] = useState(target.name)
  const form = useForm({
    send: () =>
      ask('PATCH /v1/api-keys/{id}', { path: { id: target.id }, body: { name: name.trim() } }),
    renews: ['GET /v1/api-keys'],
    onDone: onClose,
  })
  return (
    <Dialog title={words.rename} onClose={onClose}>
      <Form form={form} button={common.save} disabled={name.trim() === ''}>
        <Field
          label={words.name}
          value={name}
          onChange={setName}
          maxLength={100}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}

function RevokeKey({ target, onClose }: KeyProps) {
  const words = useWords(keysWords)
  const form = useForm({
    send: () => ask('DELETE /v1/api-keys/{id}', { path: { id: target.id } }),
    renews: ['GET /v1/api-keys'],
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      title={words.revokeTitle(target.name)}
      why={words.revokeWhy}
      button={words.revokeDo}
      form={form}
      onClose={onClose}
    />
  )
}

type ReplaceProps = KeyProps & { onCreated(key: CreatedKey): void }

/** Creates the new key first: if that fails, nothing has changed and the program still runs. */
function ReplaceLeakedKey({ target, onCreated, onClose }: ReplaceProps) {
  const words = useWords(keysWords)
  const form = useForm({
    send: () => replace(target),
    renews: ['GET /v1/api-keys'],
    onDone: onCreated,
  })
  return (
    <ConfirmDialog
      title={words.leakedTitle(target.name)}
      why={words.leakedWhy}
      button={words.leakedDo}
      form={form}
      onClose={onClose}
    />
  )
}

async function replace(old: Key): Promise<CreatedKey> {
  const { id, name, workspace_id, expires_at } = old
  const expiry = old.status === 'active' && expires_at ? { expires_at } : {}
  const { data } = await ask('POST /v1/api-keys', { body: { name, workspace_id, ...expiry } })
  const created = { name, key: data.key }
  return ask('DELETE /v1/api-keys/{id}', { path: { id } }).then(
    () => ({ ...created, old: 'revoked' }),
    () => ({ ...created, old: 'alive' }),
  )
}
