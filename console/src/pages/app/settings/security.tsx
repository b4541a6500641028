import { useState } from 'react'
import { useSession } from '../../../client/session.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { ChangePassword } from './change-password.tsx'
import { ChooseFactor } from './choose-factor.tsx'
import { RecoveryRow } from './recovery-row.tsx'
import { SettingRow } from './setting-row.tsx'
import { securityWords } from './security-words.ts'
import { SecurityHistory } from './security-history.tsx'
import { SessionList } from './sessions.tsx'
import { settingsWords } from './words.ts'

export function Security() {
  const words = useWords(securityWords)
  const settings = useWords(settingsWords)
  const { user } = useSession()
  const [open, setOpen] = useState<'password' | 'factor'>()
  const [isChanged, setChanged] = useState(false)
  const method = user?.mfa_method ?? 'none'
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
          {method === 'totp' && <RecoveryRow />}
        </div>
      </Section>
      <SessionList />
      <SecurityHistory />
      {open === 'password' && (
        <ChangePassword onDone={() => setChanged(true)} onClose={() => setOpen(undefined)} />
      )}
      {open === 'factor' && <ChooseFactor onClose={() => setOpen(undefined)} />}
    </>
  )
}
