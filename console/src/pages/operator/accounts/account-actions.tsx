import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Button } from '../../../parts/button.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { useOperator } from '../operator.ts'
import { actionWords } from './action-words.ts'
import { AdjustBalance } from './adjust-balance.tsx'
import { ResendCode } from './resend-code.tsx'
import { ACCOUNT_ROUTES, type AccountActionProps } from './types.ts'

type Action = 'adjust' | 'suspend' | 'restore' | 'endSessions' | 'resend'
type Props = Pick<AccountActionProps, 'account' | 'onDone'>

/** What an operator can do to an account. Each dialog asks for a reason and says what follows. */
export function AccountActions({ account, onDone }: Props) {
  const words = useWords(actionWords)
  const { may } = useOperator()
  const [action, setAction] = useState<Action>()
  if (!may('support')) return null
  const isSuspended = account.status === 'suspended'
  const props: AccountActionProps = { account, onDone, onClose: () => setAction(undefined) }
  const button = (name: Action, kind: 'main' | 'plain' | 'danger') => (
    <Button kind={kind} wide onClick={() => setAction(name)}>
      {words[name]}
    </Button>
  )
  return (
    <div role="group" aria-label={words.actions} className="grid grid-cols-2 gap-2 lg:grid-cols-1">
      {button('adjust', 'main')}
      {button('resend', 'plain')}
      {button('endSessions', 'plain')}
      {button(isSuspended ? 'restore' : 'suspend', isSuspended ? 'plain' : 'danger')}
      {action === 'adjust' && <AdjustBalance {...props} />}
      {action === 'resend' && <ResendCode {...props} />}
      {action === 'endSessions' && <EndSessions {...props} />}
      {action === 'suspend' && <SuspendAccount {...props} />}
      {action === 'restore' && <RestoreAccount {...props} />}
    </div>
  )
}

function SuspendAccount({ account, onDone, onClose }: AccountActionProps) {
  const words = useWords(actionWords)
  return (
    <ActionDialog
      title={words.suspendTitle(account.full_name)}
      why={words.suspendWhy}
      button={words.suspend}
      perform={(given) =>
        ask('POST /v1/operator/accounts/{id}/suspension', { path: { id: account.id }, ...given })
      }
      renews={ACCOUNT_ROUTES}
      onDone={() => onDone(words.suspended)}
      onWait={onDone}
      onClose={onClose}
    />
  )
}

function RestoreAccount({ account, onDone, onClose }: AccountActionProps) {
  const words = useWords(actionWords)
  return (
    <ActionDialog
      title={words.restoreTitle(account.full_name)}
      why={words.restoreWhy}
      button={words.restore}
      harmless
      perform={(given) =>
        ask('DELETE /v1/operator/accounts/{id}/suspension', { path: { id: account.id }, ...given })
      }
      renews={ACCOUNT_ROUTES}
      onDone={() => onDone(words.restored)}
      onWait={onDone}
      onClose={onClose}
    />
  )
}

function EndSessions({ account, onDone, onClose }: AccountActionProps) {
  const words = useWords(actionWords)
  const { number } = useFormats()
  return (
    <ActionDialog
      title={words.endSessionsTitle(account.full_name)}
      why={words.endSessionsWhy}
      button={words.endSessions}
      perform={(given) =>
        ask('DELETE /v1/operator/accounts/{id}/sessions', { path: { id: account.id }, ...given })
      }
      renews={ACCOUNT_ROUTES}
      onDone={({ data }) => onDone(words.ended(number(data.ended)))}
      onWait={onDone}
      onClose={onClose}
    />
  )
}
