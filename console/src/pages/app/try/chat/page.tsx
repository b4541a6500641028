import { useEffect } from 'react'
import { Redirect } from 'wouter'
import { useStored } from '../../../../client/device-storage.ts'
import { Field, TextArea } from '../../../../parts/form/field.tsx'
import { useWords } from '../../../../words/language.tsx'
import type { Params } from '../../../page.tsx'
import { CallFailure } from '../call-failure.tsx'
import { chatBody, lastAsked, type ChatSettings, type Message } from './body.ts'
import { Composer } from './composer.tsx'
import { Examples } from './examples.tsx'
import { ChatMessages } from './messages.tsx'
import { chatWords } from './words.ts'
import { textEstimate } from '../estimate.ts'
import { TryLayout } from '../layout.tsx'
import { ModelSelect, useModelChoice, type ModelChoice } from '../model-choice.tsx'
import { useLastTab } from '../tabs.ts'
import { useChat } from './use-chat.ts'
import { tryWords } from '../words.ts'

const PLAIN: ChatSettings = { system: '', temperature: '', maxTokens: '' }

/** `/app/try` opens the tab used last: after a top-up, the same text is there again. */
export default function Page({ params }: { params: Params }) {
  const [last] = useLastTab()
  if (params['rest'] === '' && last !== 'chat') return <Redirect to={`/app/try/${last}`} replace />
  return <ChatPage />
}

function ChatPage() {
  const words = useWords(chatWords)
  const choice = useModelChoice('chat', (model) => model.output_modalities.includes('text'))
  const [settings, setSettings] = useStored('chat settings', PLAIN)
  const [draft, setDraft] = useStored('chat draft', '')
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
  // A question that was not answered goes back into the field, so that it need not be typed again.
  useEffect(() => {
    const last = talk.at(-1)
    if (error === undefined || last?.role !== 'user') return
    setDraft([last.content, draft].filter((text) => text.trim() !== '').join('\n'))
    chat.takeBack()
  }, [error])
  return (
    <TryLayout
      choice={choice}
      tab="chat"
      call={{
        path: '/v1/chat/completions',
        body: chatBody(choice.model, settings, shown),
        answer: 'stream',
      }}
      settings={<Settings choice={choice} settings={settings} onChange={setSettings} />}
    >
      <div className="flex min-h-[22rem] flex-col gap-4 xl:min-h-[34rem]">
        {talk.length === 0 && arriving === undefined ? (
          <Examples onChoose={setDraft} />
        ) : (
          <ChatMessages talk={talk} arriving={arriving} onCharge={chat.noteCharge} />
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
