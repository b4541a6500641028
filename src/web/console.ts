import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { matchesEtag } from '../http/headers.ts'
import { route, type Call, type Result, type Route } from '../http/route.ts'
import { Failure } from '../lib/failure.ts'
import { findBundle, type Bundle, type PageLanguage } from './bundle.ts'
import type { ConsoleFolders } from './folders.ts'
import { assetHeaders, encodingFor, PAGE_HEADERS } from './headers.ts'
import { PRICES_MARK, priceTable, type ShownPrices } from './price-table.ts'

/** Where pages and their files are. Nothing below /v1: the API's addresses stay the API's. */
const PATHS = [
  '/',
  '/models',
  '/guides',
  '/guides/*',
  '/status',
  '/register',
  '/login',
  '/reset',
  '/undo',
  '/auth/callback',
  '/app',
  '/app/*',
  '/operator',
  '/operator/*',
]
const FILES = ['/assets/*', '/favicon.svg', '/robots.txt']

type PageCall = Call<undefined, undefined, { '*'?: string }>

/** The web console: files from the build, and HTML in the reader's language and theme. */
export function consolePages(folders: ConsoleFolders, prices: () => ShownPrices): Route[] {
  let bundle: Bundle | undefined
  const look = () => {
    if (bundle !== undefined) return bundle
    const found = findBundle(folders)
    if (typeof found !== 'string') bundle = found
    return found
  }
  const html = htmlCache(prices)
  const pages = PATHS.map((path) =>
    page(path, (call) => showPage(call, pathOf(path, call), look(), html)),
  )
  const files = FILES.map((path) =>
    page(path, (call) => showFile(call, pathOf(path, call), look())),
  )
  return [...pages, ...files]
}

function page(path: string, show: (call: PageCall) => Result): Route {
  return route<undefined, undefined, { '*'?: string }, 'none'>({
    method: 'GET',
    path,
    summary: 'A page of the console',
    tag: 'Console',
    credential: 'none',
    dialect: 'envelope',
    limit: 'none',
    handle: async (call) => show(call),
  })
}

const pathOf = (path: string, call: PageCall) => path.replace('*', () => call.params['*'] ?? '')

function showFile(call: PageCall, path: string, bundle: Bundle | string): Result {
  const file = typeof bundle === 'string' ? undefined : bundle.assets.get(path)
  if (file === undefined) throw new Failure('not_found', 'There is no such file.')
  const wanted = encodingFor(call.headers['accept-encoding'])
  const packed = wanted === 'identity' ? undefined : file[wanted]
  const headers = { 'content-type': file.type, ...assetHeaders(path) }
  if (packed === undefined) return { status: 200, headers, body: file.plain }
  return { status: 200, headers: { ...headers, 'content-encoding': wanted }, body: packed }
}

type Html = { etag: string; plain: Buffer; br: Buffer; gzip: Buffer }
type HtmlCache = (bundle: Bundle, name: string, looks: Looks) => Html

function showPage(call: PageCall, path: string, bundle: Bundle | string, cache: HtmlCache): Result {
  if (typeof bundle === 'string') return notBuiltPage(bundle === 'failed')
  const looks = looksOf(call.headers.cookie)
  const name = pageName(bundle, path)
  const { etag, ...bodies } = cache(bundle, name, looks)
  const wanted = encodingFor(call.headers['accept-encoding'])
  const headers: Record<string, string> = { ...PAGE_HEADERS, etag }
  if (matchesEtag(call.headers['if-none-match'], etag)) return { status: 304, headers, body: '' }
  if (wanted !== 'identity') headers['content-encoding'] = wanted
  const status = name === '/404' ? 404 : 200
  return { status, headers, body: bodies[wanted === 'identity' ? 'plain' : wanted] }
}

/** The app routes every address below these itself. */
const IN_APP = /^\/(app|operator)(\/|$)/

function pageName({ pages }: Bundle, path: string): string {
  const name = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  if (pages.has(`${name} sw`)) return name
  return IN_APP.test(name) ? '/app' : '/404'
}

/** Each page in two languages and three themes, compressed at its first request. */
function htmlCache(prices: () => ShownPrices): HtmlCache {
  const made = new Map<string, { html: Html; pricesTag: string | undefined }>()
  return (bundle, name, { language, theme }) => {
    const key = `${name} ${language} ${theme}`
    const built = bundle.pages.get(`${name} ${language}`)!
    const list = built.includes(PRICES_MARK) ? prices() : undefined
    const known = made.get(key)
    if (known !== undefined && known.pricesTag === list?.etag) return known.html
    const whole =
      list === undefined ? built : built.replace(PRICES_MARK, () => priceTable(list, language))
    const html = packed(inTheme(whole, theme))
    made.set(key, { html, pricesTag: list?.etag })
    return html
  }
}

function packed(text: string): Html {
  const plain = Buffer.from(text)
  return {
    etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 24)}"`,
    plain,
    br: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    gzip: gzipSync(plain),
  }
}

type Theme = 'system' | 'light' | 'dark'
type Looks = { language: PageLanguage; theme: Theme }

/** The reader's language and theme, from cookies. Kiswahili unless chosen otherwise. */
function looksOf(cookies: string | string[] | undefined): Looks {
  const chosen = new Map(
    String(cookies ?? '')
      .split('; ')
      .map((pair) => pair.split('=', 2) as [string, string]),
  )
  const theme = chosen.get('mlango_theme')
  return {
    language: chosen.get('mlango_language') === 'en' ? 'en' : 'sw',
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
  }
}

/** The build leaves every page in the system's theme. */
function inTheme(html: string, theme: Theme): string {
  return html.replace('data-theme="system"', `data-theme="${theme}"`)
}

/** While the pages are being built, or when that failed. The API is not affected. */
function notBuiltPage(failed: boolean): Result {
  const [sw, en] = failed
    ? [
        'Kurasa hazikuweza kuandaliwa. API inafanya kazi.',
        'The pages could not be built. The API works. The log of the service says why.',
      ]
    : ['Kurasa zinaandaliwa. Subiri kidogo…', 'The pages are being built. One moment…']
  const refresh = failed ? '' : '<meta http-equiv="refresh" content="2">'
  const body = `<!doctype html>
<html lang="sw"><head><meta charset="utf-8"><title>Mlango</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${refresh}</head>
<body><h1>Mlango</h1><p>${sw}</p><p lang="en">${en}</p>
<p><a href="/docs">API</a></p></body></html>
`
  const headers = { ...PAGE_HEADERS, 'cache-control': 'no-store', 'retry-after': '2' }
  return { status: 503, headers, body }
}
