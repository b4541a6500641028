import { looksLikePhone, toInternational } from '../../parts/form/phone-number.ts'

/** One field takes an email address or a phone number as people write it. */
export function readIdentifier(
  text: string,
): { email: string } | { phone_number: string } | undefined {
  const trimmed = text.trim()
  if (looksLikePhone(trimmed)) {
    const phone = toInternational(trimmed)
    return /^\+\d{8,15}$/.test(phone) ? { phone_number: phone } : undefined
  }
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(trimmed) ? { email: trimmed } : undefined
}

export function identifierText(text: string): string {
  const read = readIdentifier(text)
  if (read === undefined) return text.trim()
  return 'email' in read ? read.email : read.phone_number
}
