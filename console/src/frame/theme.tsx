import { useState } from 'react'
import { Choices } from '../parts/form/select.tsx'
import { remember, useLanguage, useWords } from '../words/language.tsx'
import { frameWords } from './words.ts'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

/** Light, dark, or as the device says; stored in a cookie, so that the next page is served in it. */
export function ThemeChoice() {
  const words = useWords(frameWords)
  const [theme, setTheme] = useState(() => document.documentElement.dataset['theme'] as Theme)
  const choose = (next: Theme) => {
    remember('mlango_theme', next)
    document.documentElement.dataset['theme'] = next
    setTheme(next)
  }
  const options = THEMES.map((value) => ({ value, label: words.themes[value] }))
  return <Choices label={words.theme} value={theme} options={options} onChange={choose} />
}

/** One tap to the other language, named in that language. */
export function LanguageSwitch() {
  const words = useWords(frameWords)
  const { language, choose } = useLanguage()
  const other = language === 'sw' ? 'en' : 'sw'
  return (
    <button
      type="button"
      lang={other}
      onClick={() => choose(other)}
      className="min-h-11 rounded-sm px-3 text-sm font-semibold text-soft hover:bg-sunken hover:text-ink"
    >
      {words.otherLanguage}
    </button>
  )
}
