/** Each page is looked at in these: both sizes, languages and themes. */
export const VIEWS = [
  { size: 'phone', language: 'sw', theme: 'light' },
  { size: 'phone', language: 'en', theme: 'dark' },
  { size: 'desktop', language: 'sw', theme: 'dark' },
  { size: 'desktop', language: 'en', theme: 'light' },
] as const

/** Two of them, all four in turn; every one with `ALL_VIEWS=1`, for whoever looks at the pictures. */
export function viewsInTurn(at: number): readonly (typeof VIEWS)[number][] {
  return process.env.ALL_VIEWS === '1' ? VIEWS : [VIEWS[at % 2]!, VIEWS[2 + (at % 2)]!]
}
