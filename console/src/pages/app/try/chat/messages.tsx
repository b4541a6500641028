import type { ReactNode } from 'react'
import { Icon } from '../../../../parts/icon.tsx'
import { Markdown } from '../../../../parts/markdown.tsx'
import { useWords } from '../../../../words/language.tsx'
import type { Message } from './body.ts'
import { chatWords } from './words.ts'
import { ChargeLine, ChargeReader, type Charge } from '../charge-line.tsx'

type Props = {
  talk: Message[]
  arriving: string | undefined
  onCharge(at: number, charge: Charge): void
}

export function ChatMessages({ talk, arriving, onCharge }: Props) {
  const words = useWords(chatWords)
  return (
    <ol aria-label={words.talk} className="flex flex-col gap-4">
      {talk.map((message, at) => (
        <li key={at} className="flex flex-col">
          {message.role === 'user' ? (
            <UserMessage text={message.content} />
          ) : (
            <AnswerMessage text={message.content} by={message.model}>
              <AnswerEnd message={message} onKnown={(charge) => onCharge(at, charge)} />
            </AnswerMessage>
          )}
        </li>
      ))}
      {arriving !== undefined && (
        <li className="flex flex-col">
          <AnswerMessage text={arriving}>
            <p className="pulse text-sm text-soft">{words.writing}</p>
          </AnswerMessage>
        </li>
      )}
    </ol>
  )
}

function UserMessage({ text }: { text: string }) {
  const words = useWords(chatWords)
  return (
    <div className="ml-8 self-end rounded-md rounded-br-none bg-green-wash px-4 py-2.5">
      <span className="sr-only">{words.you}: </span>
      <p className="break-words whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
    </div>
  )
}

type AnsweredProps = { text: string; by?: string | undefined; children: ReactNode }

function AnswerMessage({ text, by, children }: AnsweredProps) {
  const words = useWords(chatWords)
  return (
    <div className="card flex min-w-0 flex-col gap-2 rounded-bl-none px-4 py-3">
      <span className="flex items-center gap-1.5 text-sm font-semibold break-all text-green">
        <Icon name="spark" size={16} />
        {by ?? words.answers}
      </span>
      {text !== '' && <Markdown text={text} />}
      {children}
    </div>
  )
}

function AnswerEnd({ message, onKnown }: { message: Message; onKnown(charge: Charge): void }) {
  const words = useWords(chatWords)
  const { end, charge, requestId } = message
  return (
    <div className="border-t border-line pt-2 text-sm text-soft">
      {end === 'broken' && <p>{words.broken}</p>}
      {end === 'stopped' && <p>{words.stopped}</p>}
      {end !== 'broken' && charge !== undefined && <ChargeLine charge={charge} />}
      {end !== 'broken' && charge === undefined && requestId !== undefined && (
        <ChargeReader requestId={requestId} onKnown={onKnown} />
      )}
    </div>
  )
}
