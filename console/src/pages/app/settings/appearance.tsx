import { ThemeChoice } from '../../../frame/theme.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/form/select.tsx'
import { useLanguage, useWords, type Language } from '../../../words/language.tsx'
import { settingsWords } from './words.ts'

/** Language and theme of the pages; <AppFrame> sets the account's language accordingly. */
export function Appearance() {
  const words = useWords(settingsWords)
  const { language, choose } = useLanguage()
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
            onChange={choose}
          />
        </div>
        <div className="flex flex-col gap-2">
          <p className="text-sm text-soft">{words.theme}</p>
          <ThemeChoice />
        </div>
      </div>
    </Section>
  )
}
