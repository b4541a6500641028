/**
 * The API has one code for every forbidden action; which rule applies is only in its English sentence. A
 * sentence that is not listed here is shown as it is.
 */
export const RULES = {
  role: /^This needs the role (owner|support)/,
  limit: /^Your role may adjust ([\d.]+) credits a day/,
  ownAccount: /^This is your own account/,
  operator: /^This is the account of an operator/,
  ownRequest: /^You asked for this yourself/,
} as const

export function ruleIn(said: string): { rule: keyof typeof RULES; what: string } | undefined {
  for (const [rule, sentence] of Object.entries(RULES)) {
    const found = sentence.exec(said)
    if (found) return { rule: rule as keyof typeof RULES, what: found[1] ?? '' }
  }
  return undefined
}
