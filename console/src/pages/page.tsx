import { lazy, type ComponentType, type ReactNode } from 'react'
import type { Language } from '../words/language.tsx'

export type Params = Record<string, string>
type PageComponent = ComponentType<{ params: Params }>

export type Page = {
  /** `/guides/:name`; `*` at the end takes the rest, as `rest`. */
  path: string
  title: Record<Language, string>
  /** It has pages of its own, and sets their titles itself. */
  writesTitles?: true
  /** For search engines; only public pages have one. */
  description?: Record<Language, string>
  /** The page's own file, as the build's manifest names it. */
  source: string
  /** Loads the page's code ahead of showing it. */
  preload(): Promise<void>
  show(params: Params): ReactNode
}

type PageFacts = Pick<Page, 'path' | 'title' | 'writesTitles' | 'description' | 'source'> & {
  load(): Promise<{ default: PageComponent }>
}

/** A page whose code is loaded when it is first visited. */
export function page({ load, ...facts }: PageFacts): Page {
  let Loaded: PageComponent | undefined
  const fetchCode = async () => {
    const code = await load().catch(reloadOnce)
    Loaded = code.default
    return code
  }
  const Lazy = lazy(fetchCode)
  return {
    ...facts,
    preload: async () => void (await fetchCode()),
    show: (params) => (Loaded ? <Loaded params={params} /> : <Lazy params={params} />),
  }
}

const RELOADED = 'mlango_reloaded'

/** After an update of the service the old files are gone: the page is reloaded, once. */
function reloadOnce(error: unknown): Promise<never> {
  if (typeof sessionStorage === 'undefined') throw error
  const at = Number(sessionStorage.getItem(RELOADED))
  if (Date.now() - at < 60_000) throw error
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
  return new Promise(() => {})
}

/** The first page whose path matches, with its parameters. */
export function findPage(
  pages: readonly Page[],
  location: string,
): { page: Page; params: Params } | undefined {
  const wanted = location.split('/').filter((part) => part !== '')
  for (const page of pages) {
    const params = paramsOf(
      page.path.split('/').filter((part) => part !== ''),
      wanted,
    )
    if (params !== undefined) return { page, params }
  }
  return undefined
}

function paramsOf(pattern: string[], wanted: string[]): Params | undefined {
  const params: Params = {}
  for (const [at, part] of pattern.entries()) {
    if (part === '*') return { ...params, rest: wanted.slice(at).join('/') }
    const value = wanted[at]
    if (value === undefined) return undefined
    if (part.startsWith(':')) params[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  return pattern.length === wanted.length ? params : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A malformed percent escape: the raw text matches no page, so the answer is "not found".
    return text
  }
}
