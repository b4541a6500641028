import { useMutation } from '@tanstack/react-query'
import { ask } from '../../../client/ask.ts'
import { updateUser } from '../../../client/session.ts'
import { ThemeChoice } from '../../../frame/theme.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/select.tsx'
import { useLanguage, useWords, type Language } from '../../../words/language.tsx'
import { settingsWords } from './words.ts'

/** Of the pages, and of the messages that are sent. */
export function Look() {
  const words = useWords(settingsWords)
  const { language, choose } = useLanguage()
  const save = useMutation({
    mutationFn: (locale: Language) => ask('PATCH /v1/me', { body: { locale } }),
    onSuccess: ({ data }) => updateUser(data),
  })
  return (
    <Section title={words.look}>
      <div className="card flex flex-col gap-5 p-4">
        <div className="flex flex-col gap-2">
          <p className="text-sm text-soft">{words.language}</p>
          <Choices<Language>
            label={words.language}
            value={language}
            options={(['sw', 'en'] as const).map((value) => ({
              value,
              label: words.languages[value],
            }))}
            onChange={(next) => (choose(next), save.mutate(next))}
          />
        </div>
        <div className="flex flex-col gap-2">
          <p className="text-sm text-soft">{words.theme}</p>
          <ThemeChoice />
        </div>
        <FailureNotice error={save.error} />
      </div>
    </Section>
  )
}
