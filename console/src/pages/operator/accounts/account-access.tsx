import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { useOperator } from '../operator.ts'
import { actionWords } from './action-words.ts'
import { ACCOUNT_ROUTES, type AccountOverview } from './types.ts'
import { accountsWords } from './words.ts'

type Props = { account: AccountOverview; onDone(said: string): void }

/** The ways into an account: devices and keys. */
export default function AccountAccess({ account, onDone }: Props) {
  return (
    <>
      <SessionList account={account} />
      <KeyList account={account} onDone={onDone} />
    </>
  )
}

function SessionList({ account: { sessions } }: { account: AccountOverview }) {
  const words = useWords(accountsWords)
  const { moment } = useFormats()
  return (
    <Section title={words.sessions}>
      {sessions.length === 0 ? (
        <p className="card p-4 text-soft">{words.noneHere}</p>
      ) : (
        <ul className="card divide-y divide-line px-4">
          {sessions.map(({ id, kind, device, last_used_at }) => (
            <li key={id} className="py-3">
              <p className="font-medium wrap-anywhere">
                {[device.browser, device.system].filter(Boolean).join(', ') ||
                  (kind === 'app' ? words.app : words.unknownDevice)}
              </p>
              <p className="text-sm text-soft">{words.lastSeen(moment(last_used_at))}</p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

type Key = AccountOverview['api_keys'][number]
const KEY_TONES = { active: 'good', revoked: 'plain', expired: 'wait' } as const

function KeyList({ account, onDone }: Props) {
  const words = useWords(accountsWords)
  const actions = useWords(actionWords)
  const { moment } = useFormats()
  const { may } = useOperator()
  const [target, setTarget] = useState<Key>()
  return (
    <Section title={words.keys}>
      {account.api_keys.length === 0 ? (
        <p className="card p-4 text-soft">{words.noneHere}</p>
      ) : (
        <ul className="card divide-y divide-line px-4">
          {account.api_keys.map((key) => (
            <li key={key.id} className="flex flex-wrap items-center justify-between gap-2 py-3">
              <div className="min-w-0">
                <p className="font-medium wrap-anywhere">{key.name}</p>
                <p className="text-sm text-soft">
                  <code className="font-mono">{`${key.prefix}…${key.last4}`}</code>
                  {' · '}
                  {key.last_used_at ? words.lastUsed(moment(key.last_used_at)) : words.neverUsed}
                </p>
              </div>
              <div className="flex items-center gap-2">
                <Badge tone={KEY_TONES[key.status]}>{words.keyStates[key.status]}</Badge>
                {key.status === 'active' && may('support') && (
                  <Button
                    kind="danger"
                    size="small"
                    aria-label={`${actions.revoke}: ${key.name}`}
                    onClick={() => setTarget(key)}
                  >
                    {actions.revoke}
                  </Button>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {target && (
        <ActionDialog
          title={actions.revokeTitle(target.name)}
          why={actions.revokeWhy}
          button={actions.revokeDo}
          perform={(given) =>
            ask('DELETE /v1/operator/accounts/{id}/api-keys/{key_id}', {
              path: { id: account.id, key_id: target.id },
              ...given,
            })
          }
          renews={ACCOUNT_ROUTES}
          onDone={() => onDone(actions.revoked)}
          onWait={onDone}
          onClose={() => setTarget(undefined)}
        />
      )}
    </Section>
  )
}
