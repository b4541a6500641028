import { useState } from 'react'
import { ask, type Answer } from '../../../client/ask.ts'
import { Badge, type Tone } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { useOperator } from '../operator.ts'
import { messagesWords } from './words.ts'

export type Message = Answer<'GET /v1/operator/outbox'>['data'][number]

const TONES: Record<Message['state'], Tone> = {
  waiting: 'wait',
  sent: 'good',
  dead: 'bad',
  folded: 'plain',
}

/** Mail and SMS; a message that did not arrive can be sent again. */
export function MessageList({ messages }: { messages: readonly Message[] }) {
  const words = useWords(messagesWords)
  const { may } = useOperator()
  const [target, setTarget] = useState<Message>()
  const [done, setDone] = useState('')
  return (
    <>
      <DoneNotice>{done}</DoneNotice>
      <ul aria-label={words.title} className="card divide-y divide-line px-4">
        {messages.map((message) => (
          <MessageRow
            key={message.id}
            message={message}
            {...(may('support') && { onResend: () => setTarget(message) })}
          />
        ))}
      </ul>
      {target && (
        <ActionDialog
          title={words.resendTitle}
          why={words.resendWhy}
          button={words.resend}
          harmless
          perform={(given) =>
            ask('POST /v1/operator/outbox/{id}/resend', { path: { id: target.id }, ...given })
          }
          renews={[
            'GET /v1/operator/outbox',
            'GET /v1/operator/accounts/{id}',
            'GET /v1/operator/attention',
          ]}
          onDone={() => setDone(words.resent)}
          onClose={() => setTarget(undefined)}
        />
      )}
    </>
  )
}

function MessageRow({ message, onResend }: { message: Message; onResend?: () => void }) {
  const words = useWords(messagesWords)
  const { moment, number } = useFormats()
  const { state, channel, to } = message
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium wrap-anywhere">{to ?? words.channels[channel]}</p>
        <p className="text-sm text-soft">
          {[
            words.channels[channel],
            moment(message.created_at),
            `${words.attempts}: ${number(message.attempts)}`,
          ].join(' · ')}
        </p>
        {message.last_error && (
          <p className="text-sm wrap-anywhere text-danger">{message.last_error}</p>
        )}
      </div>
      <div className="flex items-center gap-2">
        <Badge tone={TONES[state]}>{words.states[state]}</Badge>
        {state === 'dead' && !message.resendable && (
          <span className="text-sm text-soft">{words.gone}</span>
        )}
        {message.resendable && onResend && (
          <Button
            kind="plain"
            size="small"
            aria-label={`${words.resend}: ${to ?? message.id}`}
            onClick={onResend}
          >
            {words.resend}
          </Button>
        )}
      </div>
    </li>
  )
}
