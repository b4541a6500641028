/** What a `User-Agent` says of itself, from a fixed list: the text itself is not kept. */
export type DeviceWords = { browser: string | undefined; system: string | undefined }

export function deviceWords(userAgent: string): DeviceWords {
  const first = (words: readonly (readonly [string, RegExp])[]) =>
    words.find(([, sign]) => sign.test(userAgent))?.[0]
  return { browser: first(BROWSERS), system: first(SYSTEMS) }
}

/** In this order: most of them also say that they are Chrome or Safari. */
const BROWSERS = [
  ['Opera Mini', /Opera Mini/],
  ['Opera', /OPR\/|Opera/],
  ['Samsung Internet', /SamsungBrowser\//],
  ['UC Browser', /UCBrowser\//],
  ['Edge', /Edg[A-Z]{0,3}\//i],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
  ['curl', /^curl\//],
  ['Python', /python/i],
  ['Node.js', /node|undici/i],
] as const

const SYSTEMS = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['Mac', /Macintosh|Mac OS/],
  ['KaiOS', /KAIOS/i],
  ['Linux', /Linux|X11/],
] as const
