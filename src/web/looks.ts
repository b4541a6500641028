import type { PageLanguage } from './bundle.ts'

export type Theme = 'system' | 'light' | 'dark'
export type Looks = { language: PageLanguage; theme: Theme }

/** The reader's language and theme, from cookies. Kiswahili unless chosen otherwise. */
export function looksOf(cookies: string | string[] | undefined): Looks {
  const chosen = new Map(
    String(cookies ?? '')
      .split('; ')
      .map((pair) => pair.split('=', 2) as [string, string]),
  )
  const theme = chosen.get('mlango_theme')
  return {
    language: chosen.get('mlango_language') === 'en' ? 'en' : 'sw',
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
  }
}

/** The build leaves every page in the system's theme. */
export function inTheme(html: string, theme: Theme): string {
  return html.replace('data-theme="system"', `data-theme="${theme}"`)
}
