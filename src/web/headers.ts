/** Scripts and styles only from our own files; nothing else is fetched, framed or evaluated. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  vary: 'Cookie, Accept-Encoding',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': [
    'microphone=(self)',
    'publickey-credentials-create=(self)',
    'publickey-credentials-get=(self)',
    'camera=()',
    'geolocation=()',
    'payment=()',
  ].join(', '),
  'x-frame-options': 'DENY',
}

/** File names in /assets/ contain a hash of their content, so they can be cached for ever. */
export const assetHeaders = (path: string) => ({
  'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  vary: 'Accept-Encoding',
})

type Encoding = 'br' | 'gzip' | 'identity'

/** The best encoding that the browser accepts; a weight of 0 refuses one. */
export function encodingFor(header: string | string[] | undefined): Encoding {
  const named = String(header ?? '')
    .split(',')
    .map((one) => one.trim().split(';'))
    .filter(([, weight]) => Number(/q=([\d.]{1,5})$/.exec(weight ?? '')?.[1] ?? 1) > 0)
    .map(([name]) => name)
  return named.includes('br') ? 'br' : named.includes('gzip') ? 'gzip' : 'identity'
}
