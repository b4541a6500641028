import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../../client/session.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { ChangePassword } from './change-password.tsx'
import { ChooseFactor } from './choose-factor.tsx'
import { RecoveryRow } from './recovery-row.tsx'
import { SettingRow } from './setting-row.tsx'
import { securityWords } from './security-words.ts'
import { SessionList } from './sessions.tsx'
import { settingsWords } from './words.ts'

const Passkeys = lazy(() => import('./passkeys.tsx'))
const Identities = lazy(() => import('./identities.tsx'))
const SecurityHistory = lazy(() => import('./security-history.tsx'))

export function Security() {
  const words = useWords(securityWords)
  const settings = useWords(settingsWords)
  const { user } = useSession()
  const [open, setOpen] = useState<'password' | 'factor'>()
  const [isChanged, setChanged] = useState(false)
  const method = user?.mfa_method ?? 'none'
  const passkeys = useAsk('GET /v1/me/mfa').data?.data.passkeys ?? 0
  return (
    <>
      <Section title={words.title}>
        {isChanged && <Notice tone="good">{words.passwordDone}</Notice>}
        <div className="card divide-y divide-line px-4">
          <SettingRow
            label={words.password}
            action={
              <Button
                kind="quiet"
                size="small"
                aria-label={words.passwordChange}
                onClick={() => setOpen('password')}
              >
                {settings.change}
              </Button>
            }
          >
            ••••••••
          </SettingRow>
          <SettingRow
            label={words.factor}
            action={
              <Button
                kind={method === 'none' ? 'main' : 'quiet'}
                size="small"
                aria-label={`${words.factor}: ${method === 'none' ? words.setUp : settings.change}`}
                onClick={() => setOpen('factor')}
              >
                {method === 'none' ? words.setUp : settings.change}
              </Button>
            }
          >
            <Badge tone={method === 'none' ? 'wait' : 'good'}>{words.methods[method]}</Badge>
            {method === 'none' && (
              <span className="text-sm font-normal text-soft">{words.factorLead}</span>
            )}
          </SettingRow>
          {(method === 'totp' || method === 'phone' || passkeys > 0) && <RecoveryRow />}
        </div>
      </Section>
      <Suspense fallback={<Skeleton lines={1} tall />}>
        <Passkeys />
      </Suspense>
      <Suspense fallback={null}>
        <Identities />
      </Suspense>
      <SessionList />
      <Suspense fallback={<Skeleton lines={4} tall />}>
        <SecurityHistory />
      </Suspense>
      {open === 'password' && (
        <ChangePassword onDone={() => setChanged(true)} onClose={() => setOpen(undefined)} />
      )}
      {open === 'factor' && <ChooseFactor onClose={() => setOpen(undefined)} />}
    </>
  )
}
