import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'

/** The countries to which messages go, as ISO codes; undefined means everywhere. */
export type SmsCountries = ReadonlySet<string> | undefined

/** Where our customers are, and where a message has a price that we know. */
const WITH_A_PROVIDER = ['TZ', 'KE', 'UG', 'RW', 'BI', 'CD']

/** Everywhere while messages are only files; with a provider every message has a price. */
export function smsCountries(settings: {
  SMS_PROVIDER?: string | undefined
  SMS_COUNTRIES?: '*' | string[] | undefined
}): SmsCountries {
  const { SMS_PROVIDER, SMS_COUNTRIES } = settings
  const chosen = SMS_COUNTRIES ?? (SMS_PROVIDER === undefined ? '*' : WITH_A_PROVIDER)
  return chosen === '*' ? undefined : new Set(chosen)
}

/**
 * Countries that share a calling code (+1, +7, +44) are told apart by the digits that follow. A
 * number of no country, such as a satellite phone's, is reached only where everything is.
 */
export function reaches(countries: SmsCountries, phone: string): boolean {
  if (countries === undefined) return true
  const country = parsePhoneNumberFromString(phone)?.country
  return country !== undefined && countries.has(country)
}

/** `*`, or ISO codes separated by commas; undefined for anything else. */
export function readCountries(text: string): '*' | string[] | undefined {
  if (text.trim() === '*') return '*'
  const codes = text
    .toUpperCase()
    .split(',')
    .map((code) => code.trim())
    .filter((code) => code !== '')
  return codes.length > 0 && codes.every((code) => isSupportedCountry(code)) ? codes : undefined
}
