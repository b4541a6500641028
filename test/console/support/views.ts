/** Each page is looked at in these: both sizes, languages and themes. */
export const VIEWS = [
  { size: 'phone', language: 'sw', theme: 'light' },
  { size: 'phone', language: 'en', theme: 'dark' },
  { size: 'desktop', language: 'sw', theme: 'dark' },
  { size: 'desktop', language: 'en', theme: 'light' },
] as const

/** `PICTURES=1`: every view, with a picture of each page in the folder `screenshots`. */
export const PICTURES = process.env.PICTURES === '1'

/** Two of them, all four in turn. */
export function viewsInTurn(at: number): readonly (typeof VIEWS)[number][] {
  return PICTURES ? VIEWS : [VIEWS[at % 2]!, VIEWS[2 + (at % 2)]!]
}
