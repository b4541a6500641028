import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { commonWords } from '../../../words/common.ts'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { AddPasskey } from './add-passkey.tsx'
import { RemovePasskey, type Passkey } from './remove-passkey.tsx'
import { SettingRow } from './setting-row.tsx'
import { settingsPasskeyWords } from './passkey-words.ts'

/** The account's passkeys, and the button for a new one. */
export default function Passkeys() {
  const words = useWords(settingsPasskeyWords)
  const passkeys = useAsk('GET /v1/me/passkeys')
  const [isOpen, setOpen] = useState(false)
  const [done, setDone] = useState('')
  return (
    <Section title={words.title}>
      <DoneNotice>{done}</DoneNotice>
      <Loaded query={passkeys} shape={<Skeleton lines={1} tall />}>
        {({ data }) => (
          <>
            {data.length > 0 && (
              <div className="card mb-3 divide-y divide-line px-4">
                {data.map((passkey) => (
                  <PasskeyRow
                    key={passkey.id}
                    passkey={passkey}
                    isLast={data.length === 1}
                    onRemoved={() => setDone(words.removed(passkey.name))}
                  />
                ))}
              </div>
            )}
            <div className="flex flex-wrap items-center gap-3">
              <Button
                kind={data.length === 0 ? 'main' : 'plain'}
                icon="shield"
                onClick={() => (setDone(''), setOpen(true))}
              >
                {words.add}
              </Button>
              <p className="text-sm text-soft">{words.lead}</p>
            </div>
          </>
        )}
      </Loaded>
      {isOpen && (
        <Dialog title={words.add} onClose={() => setOpen(false)}>
          <AddPasskey onDone={() => (setDone(words.added), setOpen(false))} />
        </Dialog>
      )}
    </Section>
  )
}

type RowProps = { passkey: Passkey; isLast: boolean; onRemoved(): void }

function PasskeyRow({ passkey, isLast, onRemoved }: RowProps) {
  const words = useWords(settingsPasskeyWords)
  const { moment } = useFormats()
  const [open, setOpen] = useState<'rename' | 'remove'>()
  const { name, backed_up, created_at, last_used_at } = passkey
  const close = () => setOpen(undefined)
  return (
    <SettingRow
      label={last_used_at ? words.used(moment(last_used_at)) : words.made(moment(created_at))}
      action={
        <div className="flex flex-col items-end sm:flex-row">
          <Button
            kind="quiet"
            size="small"
            aria-label={`${words.rename}: ${name}`}
            onClick={() => setOpen('rename')}
          >
            {words.rename}
          </Button>
          <Button
            kind="quiet"
            size="small"
            aria-label={`${words.remove}: ${name}`}
            onClick={() => setOpen('remove')}
          >
            {words.remove}
          </Button>
        </div>
      }
    >
      {name}
      {backed_up && <Badge tone="plain">{words.backedUp}</Badge>}
      {open === 'rename' && <RenamePasskey passkey={passkey} onClose={close} />}
      {open === 'remove' && (
        <RemovePasskey passkey={passkey} isLast={isLast} onClose={close} onDone={onRemoved} />
      )}
    </SettingRow>
  )
}

function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const words = useWords(settingsPasskeyWords)
  const common = useWords(commonWords)
  const [name, setName] = useState(passkey.name)
  const form = useForm({
    send: () =>
      ask('PATCH /v1/me/passkeys/{id}', { path: { id: passkey.id }, body: { name: name.trim() } }),
    renews: ['GET /v1/me/passkeys'],
    onDone: onClose,
  })
  return (
    <Dialog title={words.rename} onClose={onClose}>
      <Form form={form} button={common.save} disabled={name.trim() === ''}>
        <Field label={words.name} value={name} onChange={setName} maxLength={60} />
      </Form>
    </Dialog>
  )
}
