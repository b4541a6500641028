/** Each page is looked at in these: both sizes, languages and themes. */
export const VIEWS = [
  { size: 'phone', language: 'sw', theme: 'light' },
  { size: 'phone', language: 'en', theme: 'dark' },
  { size: 'desktop', language: 'sw', theme: 'dark' },
  { size: 'desktop', language: 'en', theme: 'light' },
] as const
