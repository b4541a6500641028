import { useLanguage, type Language } from './language.tsx'

const ZONE = 'Africa/Dar_es_Salaam'

/** Numbers, money and times as people of Tanzania write them. Times in 24-hour digits. */
function formatsOf(language: Language) {
  const locale = language === 'sw' ? 'sw-TZ' : 'en-GB'
  const number = (value: number, digits = 0) =>
    value.toLocaleString(locale, { minimumFractionDigits: 0, maximumFractionDigits: digits })
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: ZONE, hourCycle: 'h23', ...options })
    return (at: string | number | Date) => format.format(new Date(at))
  }
  return {
    number,
    /** `0.42`, `1,250`, `0.0031`: two digits after the point, more only below one. */
    amount: (value: number) => number(value, decimalsFor(value)),
    tzs: (value: number) => `TZS ${number(value, decimalsFor(value))}`,
    percent: (value: number) => `${number(value, 2)}%`,
    day: date({ day: 'numeric', month: 'short', year: 'numeric' }),
    shortDay: date({ day: 'numeric', month: 'short' }),
    time: date({ hour: '2-digit', minute: '2-digit' }),
    moment: date({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
    fullMoment: date({ dateStyle: 'medium', timeStyle: 'medium' }),
  }
}

export type Formats = ReturnType<typeof formatsOf>

export function useFormats(): Formats {
  return formatsOf(useLanguage().language)
}

/** Small amounts are shown with three significant digits, never with an exponent. */
function decimalsFor(value: number): number {
  const size = Math.abs(value)
  if (size >= 1000) return 0
  if (size >= 1 || size === 0) return 2
  return Math.min(9, 2 - Math.floor(Math.log10(size)))
}
