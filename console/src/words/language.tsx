import { createContext, useContext, useState, type ReactNode } from 'react'

export type Language = 'sw' | 'en'

type Words = {
  [name: string]: string | readonly string[] | ((...values: never[]) => string) | Words
}

/** The words of one area in both languages. A word that one of them lacks does not compile. */
export function words<T extends Words>(both: { sw: T; en: NoInfer<T> }): Record<Language, T> {
  return both
}

type Chosen = { language: Language; choose(language: Language): void }
const Context = createContext<Chosen>({ language: 'sw', choose() {} })

const A_YEAR_S = 31_536_000

/** The choice is stored in a cookie, so that the next page is served in that language. */
export function remember(name: 'mlango_language' | 'mlango_theme', value: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  document.cookie = `${name}=${value}; Path=/; Max-Age=${A_YEAR_S}; SameSite=Lax${secure}`
}

export function LanguageProvider({ start, children }: { start: Language; children: ReactNode }) {
  const [language, setLanguage] = useState(start)
  const choose = (next: Language) => {
    remember('mlango_language', next)
    document.documentElement.lang = next
    setLanguage(next)
  }
  return <Context value={{ language, choose }}>{children}</Context>
}

export const useLanguage = () => useContext(Context)

export function useWords<T>(both: Record<Language, T>): T {
  return both[useLanguage().language]
}
