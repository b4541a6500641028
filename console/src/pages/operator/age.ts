import { useLanguage } from '../../words/language.tsx'

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `2 days ago`, `siku 2 zilizopita`: how long something has waited. */
export function useAge(): (at: string, now?: number) => string {
  const { language } = useLanguage()
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'always' })
  return (at, now = Date.now()) => {
    const seconds = Math.max(0, (now - Date.parse(at)) / 1000)
    const [unit, size] = STEPS.find(([, length]) => seconds >= length) ?? (['second', 1] as const)
    // It stands in the middle of a sentence, and some browsers capitalise it.
    return format.format(-Math.floor(seconds / size), unit).toLowerCase()
  }
}
