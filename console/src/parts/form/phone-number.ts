/** `0712 345 678`, `255712…` and `712…` are Tanzanian; what begins with + is taken as it is. */
export function toInternational(text: string): string {
  const bare = text.replaceAll(/[\s().-]/g, '')
  if (bare.startsWith('+')) return bare
  if (bare.startsWith('00')) return `+${bare.slice(2)}`
  if (/^0\d{9}$/.test(bare)) return `+255${bare.slice(1)}`
  if (/^255\d{9}$/.test(bare)) return `+${bare}`
  if (/^[67]\d{8}$/.test(bare)) return `+255${bare}`
  return bare
}

export const looksLikePhone = (text: string) => /^[\d+(][\d\s().-]{5,}$/.test(text.trim())
