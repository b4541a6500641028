import type { Result } from '../http/route.ts'
import { PAGE_HEADERS } from './headers.ts'

/** While the pages are being built, or when that failed. The API is not affected. */
export function notBuiltPage(failed: boolean): Result {
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
