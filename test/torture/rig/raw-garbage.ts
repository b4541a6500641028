import { runInParallel } from '../load/in-parallel.ts'
import { sendRaw, statusesOf } from '../../support/raw-http.ts'

/** Bytes on a bare socket: not HTTP, almost HTTP, and forms that are not forms. */
export async function rawGarbage(url: string, key: string): Promise<string[]> {
  const port = Number(new URL(url).port)
  const violations: string[] = []
  const each = async ([what, bytes]: [string, string]) => {
    const answer = await sendRaw(port, [bytes], { quietMs: 150 })
    const bad = statusesOf(answer).filter((status) => status >= 500)
    const served = statusesOf(answer).filter((status) => status < 300)
    if (bad.length > 0) violations.push(`raw: ${what} → ${answer.slice(0, 200)}`)
    if (served.length > 0 && !what.startsWith('fine:')) {
      violations.push(`raw: ${what} was served: ${answer.slice(0, 200)}`)
    }
    if (answer.includes(key)) violations.push(`raw: ${what} revealed the key`)
  }
  await runInParallel(cases(key), 10, each)
  return violations
}

function cases(key: string): [string, string][] {
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
  const chat = head('/v1/chat/completions')
  const json = 'Content-Type: application/json\r\n'
  const form = (path: string, boundary: string, body: string) =>
    `${head(path)}Content-Type: multipart/form-data; boundary=${boundary}\r\n` +
    `Content-Length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${body}`
  const forms = ['/v1/audio/transcriptions', '/v1/documents/analyze', '/v1/vision/analyze']
  const get = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
  return [
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a lone line', 'GET\r\n\r\n'],
    ['two lengths', `${chat}${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    [
      'length and chunks',
      `${chat}${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['xchunked', `${chat}${json}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['negative length', `${chat}${json}Content-Length: -1\r\n\r\n`],
    ['huge length', `${chat}${json}Content-Length: 99999999999999999999\r\n\r\n`],
    ['one byte over the cap', `${chat}${json}Content-Length: 14500001\r\n\r\n`],
    ['bad chunk', `${chat}${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['chunk overflow', `${chat}${json}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`],
    ['compressed', `${chat}${json}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`],
    [
      'UTF-16',
      `${chat}Content-Type: application/json; charset=utf-16\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    ['text', `${chat}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`],
    ['folded', `${chat}X-A: b\r\n  c\r\n\r\n`],
    ['flood of headers', `${chat}${'X-A: b\r\n'.repeat(3_000)}\r\n`],
    ['large header', `${chat}X-A: ${'b'.repeat(20_000)}\r\n\r\n`],
    ['two credentials', `${chat}Authorization: Bearer x\r\n${json}Content-Length: 2\r\n\r\n{}`],
    ['NUL in a header', `${chat}X-A: a\0b\r\n\r\n`],
    ['TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['CONNECT', 'CONNECT evil:80 HTTP/1.1\r\nHost: evil\r\n\r\n'],
    ['twice slashed', get('/v1//models')],
    ['dotted', get('/v1/models/../me')],
    ['escaped dots', get('/v1/videos/%2e%2e/content')],
    ['escaped NUL', get('/v1/videos/%00')],
    ['bad escape', get('/v1/videos/%zz')],
    ['upper case', get('/V1/models')],
    ...forms.flatMap((path): [string, string][] => [
      [
        `${path} no boundary`,
        `${head(path)}Content-Type: multipart/form-data\r\nContent-Length: 4\r\n\r\nabcd`,
      ],
      [`${path} empty`, form(path, 'b', '')],
      [
        `${path} no end`,
        form(path, 'b', '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nx'),
      ],
      [
        `${path} empty name`,
        form(path, 'b', '--b\r\nContent-Disposition: form-data; name=""\r\n\r\nx\r\n--b--\r\n'),
      ],
      [`${path} no disposition`, form(path, 'b', '--b\r\n\r\nx\r\n--b--\r\n')],
      [`${path} odd file name`, form(path, 'b', filePart('../../etc/passwd\0'))],
      [
        `${path} long part header`,
        form(path, 'b', `--b\r\nX: ${'y'.repeat(100_000)}\r\n\r\nx\r\n--b--\r\n`),
      ],
      [`${path} many parts`, form(path, 'b', `${field('a', 'b').repeat(3_000)}--b--\r\n`)],
      [`${path} long boundary`, form(path, 'b'.repeat(5_000), 'x')],
      [`${path} __proto__`, form(path, 'b', `${field('__proto__', 'x')}--b--\r\n`)],
      [`${path} file as a field`, form(path, 'b', `${field('file', 'x')}--b--\r\n`)],
    ]),
  ]
}

function field(name: string, value: string): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
}

function filePart(name: string): string {
  return `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nx\r\n--b--\r\n`
}
