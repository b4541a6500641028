import { useEffect } from 'react'
import { Redirect } from 'wouter'
import { useKept } from '../../../client/kept.ts'
import { Field, TextArea } from '../../../parts/field.tsx'
import { useWords } from '../../../words/language.tsx'
import type { Params } from '../../page.tsx'
import { CallFailure } from './call-failure.tsx'
import { chatBody, lastAsked, type ChatSettings, type Message } from './chat-body.ts'
import { Composer } from './chat-composer.tsx'
import { Examples } from './chat-examples.tsx'
import { ChatTalk } from './chat-talk.tsx'
import { chatWords } from './chat-words.ts'
import { textEstimate } from './estimate.ts'
import { useLastRoom } from './last-room.ts'
import { TryLayout } from './layout.tsx'
import { ModelSelect, useModelChoice, type ModelChoice } from './model-choice.tsx'
import { Ready } from './ready.tsx'
import { useChat } from './use-chat.ts'
import { tryWords } from './words.ts'

const PLAIN: ChatSettings = { system: '', temperature: '', maxTokens: '' }

/** `/app/try` is wherever one was last: after a top-up one comes back to the same text. */
export default function Page({ params }: { params: Params }) {
  const [room] = useLastRoom()
  if (params['rest'] === '' && room !== 'chat') return <Redirect to={`/app/try/${room}`} replace />
  return <ChatPage />
}

function ChatPage() {
  const words = useWords(chatWords)
  const choice = useModelChoice('chat', (model) => model.output_modalities.includes('text'))
  const [settings, setSettings] = useKept('chat settings', PLAIN)
  const [draft, setDraft] = useKept('chat draft', '')
  const chat = useChat()
  const { talk, arriving, error } = chat
  const next: Message[] = [...talk, { role: 'user', content: draft.trim() }]
  const shown =
    draft.trim() !== ''
      ? next
      : talk.length > 0
        ? lastAsked(talk)
        : [{ role: 'user' as const, content: words.example }]
  const estimate = textEstimate(choice.model, {
    text: JSON.stringify(chatBody(choice.model, settings, next).messages),
    mostTokens: settings.maxTokens === '' ? undefined : Number(settings.maxTokens),
  })
  const ask = (asked: Message[]) => void chat.ask(asked, chatBody(choice.model, settings, asked))
  const send = () => {
    if (draft.trim() === '' || arriving !== undefined || choice.model === undefined) return
    setDraft('')
    ask(next)
  }
  // What was not answered is written again, so that nothing has to be typed twice.
  useEffect(() => {
    const last = talk.at(-1)
    if (error === undefined || last?.role !== 'user') return
    setDraft([last.content, draft].filter((text) => text.trim() !== '').join('\n'))
    chat.takeBack()
  }, [error])
  return (
    <TryLayout
      room="chat"
      call={{
        path: '/v1/chat/completions',
        body: chatBody(choice.model, settings, shown),
        answer: 'stream',
      }}
      settings={<Settings choice={choice} settings={settings} onChange={setSettings} />}
    >
      <Ready choice={choice}>
        <div className="flex min-h-[22rem] flex-col gap-4 xl:min-h-[34rem]">
          {talk.length === 0 && arriving === undefined ? (
            <Examples onChoose={setDraft} />
          ) : (
            <ChatTalk talk={talk} arriving={arriving} onCharge={chat.noteCharge} />
          )}
          <CallFailure error={error} estimate={estimate} onRetry={send} />
          <p role="status" className="sr-only">
            {arriving !== undefined ? words.writing : talk.length > 0 ? words.done : ''}
          </p>
          <Composer
            draft={draft}
            onChange={setDraft}
            onSend={send}
            onStop={arriving === undefined ? undefined : chat.stop}
            onClear={talk.length > 0 && arriving === undefined ? chat.clear : undefined}
            estimate={estimate}
          />
        </div>
      </Ready>
    </TryLayout>
  )
}

type SettingsProps = {
  choice: ModelChoice
  settings: ChatSettings
  onChange(next: ChatSettings): void
}

function Settings({ choice, settings, onChange }: SettingsProps) {
  const common = useWords(tryWords)
  const words = useWords(chatWords)
  return (
    <>
      <ModelSelect choice={choice} />
      <TextArea
        label={words.system}
        hint={words.systemSay}
        optional
        rows={3}
        value={settings.system}
        onChange={(system) => onChange({ ...settings, system })}
      />
      {choice.model?.supported_parameters.includes('temperature') && (
        <Field
          label={common.temperature}
          placeholder={common.modelChooses}
          hint={common.temperatureSay}
          type="number"
          inputMode="decimal"
          min={0}
          max={2}
          step={0.1}
          value={settings.temperature}
          onChange={(temperature) => onChange({ ...settings, temperature })}
        />
      )}
      <Field
        label={common.maxTokens}
        placeholder={common.modelChooses}
        type="number"
        inputMode="numeric"
        min={1}
        value={settings.maxTokens}
        onChange={(maxTokens) => onChange({ ...settings, maxTokens })}
      />
      <p className="text-sm text-soft">{words.onDevice}</p>
    </>
  )
}
