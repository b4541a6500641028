import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAskAgain } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActDialog } from '../act-dialog.tsx'
import { useOperator } from '../operator.ts'
import type { Story } from './account-page.tsx'
import { actWords } from './act-words.ts'
import { Adjust } from './adjust.tsx'
import { ResendCode } from './resend-code.tsx'

type Act = 'adjust' | 'suspend' | 'restore' | 'endSessions' | 'resend'
export type AccountActProps = { story: Story; onDone(said: string): unknown; onClose(): void }

/** What can be done to an account. Each asks why, and says what follows. */
export function AccountActs({ story, onDone }: { story: Story; onDone(said: string): void }) {
  const words = useWords(actWords)
  const again = useAskAgain()
  const { may, account_id: own } = useOperator()
  const [act, setAct] = useState<Act>()
  if (!may('support') || own === story.id) return null
  const isSuspended = story.status === 'suspended'
  const close = () => setAct(undefined)
  const props: AccountActProps = {
    story,
    onClose: close,
    onDone: (said) => {
      close()
      onDone(said)
      return again(
        'GET /v1/operator/accounts/{id}',
        'GET /v1/operator/accounts/{id}/transactions',
        'GET /v1/operator/accounts',
        'GET /v1/operator/adjustments',
        'GET /v1/operator/attention',
      )
    },
  }
  const button = (name: Act, kind: 'main' | 'plain' | 'danger') => (
    <Button kind={kind} wide onClick={() => setAct(name)}>
      {words[name]}
    </Button>
  )
  return (
    <div role="group" aria-label={words.acts} className="grid grid-cols-2 gap-2 lg:grid-cols-1">
      {button('adjust', 'main')}
      {button('resend', 'plain')}
      {button('endSessions', 'plain')}
      {button(isSuspended ? 'restore' : 'suspend', isSuspended ? 'plain' : 'danger')}
      {act === 'adjust' && <Adjust {...props} />}
      {act === 'resend' && <ResendCode {...props} />}
      {act === 'endSessions' && <EndSessions {...props} />}
      {(act === 'suspend' || act === 'restore') && <Suspension {...props} act={act} />}
    </div>
  )
}

function Suspension({
  story,
  act,
  onDone,
  onClose,
}: AccountActProps & { act: 'suspend' | 'restore' }) {
  const words = useWords(actWords)
  const isSuspending = act === 'suspend'
  const route = isSuspending
    ? 'POST /v1/operator/accounts/{id}/suspension'
    : 'DELETE /v1/operator/accounts/{id}/suspension'
  return (
    <ActDialog
      title={
        isSuspending ? words.suspendTitle(story.full_name) : words.restoreTitle(story.full_name)
      }
      why={isSuspending ? words.suspendWhy : words.restoreWhy}
      act={words[act]}
      harmless={!isSuspending}
      perform={({ reason, idempotencyKey }) =>
        ask(route, { path: { id: story.id }, body: { reason }, idempotencyKey })
      }
      onDone={() => onDone(isSuspending ? words.suspended : words.restored)}
      onClose={onClose}
    />
  )
}

function EndSessions({ story, onDone, onClose }: AccountActProps) {
  const words = useWords(actWords)
  const { number } = useFormats()
  return (
    <ActDialog
      title={words.endSessionsTitle(story.full_name)}
      why={words.endSessionsWhy}
      act={words.endSessions}
      perform={({ reason, idempotencyKey }) =>
        ask('DELETE /v1/operator/accounts/{id}/sessions', {
          path: { id: story.id },
          body: { reason },
          idempotencyKey,
        })
      }
      onDone={({ data }) => onDone(words.ended(number(data.ended)))}
      onClose={onClose}
    />
  )
}
