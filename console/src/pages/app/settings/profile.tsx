import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../../client/session.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ChangeEmail } from './change-email.tsx'
import { ChangeName } from './change-name.tsx'
import { SettingRow } from './setting-row.tsx'
import { settingsWords } from './words.ts'

const VerifyPhone = lazy(() => import('../phone/verify-phone.tsx'))

export function Profile() {
  const words = useWords(settingsWords)
  const { day } = useFormats()
  const { user } = useSession()
  const [open, setOpen] = useState<'name' | 'email' | 'phone'>()
  const close = () => setOpen(undefined)
  if (user === undefined) return null
  const { email, phone_number: phone } = user
  const edit = (what: 'name' | 'email' | 'phone', label: string, about: string) => (
    <Button
      kind="quiet"
      size="small"
      aria-label={`${label}: ${about}`}
      onClick={() => setOpen(what)}
    >
      {label}
    </Button>
  )
  const verification = (isVerified: boolean) => (
    <Badge tone={isVerified ? 'good' : 'wait'}>
      {isVerified ? words.verified : words.unverified}
    </Badge>
  )
  const phoneWord =
    phone === undefined ? words.add : user.phone_verified ? words.change : words.verify
  return (
    <Section title={words.profile}>
      <div className="card divide-y divide-line px-4">
        <SettingRow label={words.name} action={edit('name', words.change, words.name)}>
          {user.full_name}
        </SettingRow>
        <SettingRow label={words.phone} action={edit('phone', phoneWord, words.phone)}>
          {phone ?? words.none} {phone && verification(user.phone_verified)}
          {user.phone_signs_in_at && (
            <span className="text-sm font-normal text-soft">
              {words.signsInFrom(day(user.phone_signs_in_at))}
            </span>
          )}
        </SettingRow>
        <SettingRow
          label={words.email}
          action={edit('email', email ? words.change : words.add, words.email)}
        >
          {email ?? words.none} {email && verification(user.email_verified)}
        </SettingRow>
      </div>
      {open === 'name' && <ChangeName name={user.full_name} onClose={close} />}
      {open === 'email' && <ChangeEmail onClose={close} />}
      {open === 'phone' && (
        <Dialog title={words.phone} onClose={close}>
          <Suspense fallback={<Skeleton lines={2} tall />}>
            <VerifyPhone onDone={close} asksPassword />
          </Suspense>
        </Dialog>
      )}
    </Section>
  )
}
