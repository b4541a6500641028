import type { SampleCall } from './types.ts'

export function curlOf(origin: string, call: SampleCall): string {
  const { inBase64 } = call
  const lines = [
    `curl ${call.answer === 'stream' ? '-N ' : ''}${origin}${call.path}`,
    '-H "Authorization: Bearer $MLANGO_KEY"',
    ...Object.entries(call.headers ?? {}).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(call.form ? formLines(call.form) : bodyLines(call)),
    ...(call.answer === 'sound' ? ['--fail-with-body -o jibu.mp3'] : []),
  ]
  const command = lines.join(' \\\n  ')
  if (inBase64 === undefined) return command
  // Through a pipe: a recording can be longer than a command-line argument may be.
  const body = JSON.stringify({ ...call.body, [inBase64.member]: MARK }, null, 2)
  const template = body.replaceAll(/[\\%]/g, '$&$&').replace(MARK, '%s')
  return `printf ${quoted(template)} \\
  "$(base64 < ${word(inBase64.file)} | tr -d '\\n')" |
${command}`
}

const MARK = 'MLANGO-FILE'

function bodyLines({ body, inBase64 }: SampleCall): string[] {
  const type = '-H "Content-Type: application/json"'
  if (inBase64 !== undefined) return [type, '--data-binary @-']
  return body === undefined ? [] : [type, `-d ${quoted(JSON.stringify(body, null, 2))}`]
}

function formLines({ fields, file, type }: NonNullable<SampleCall['form']>): string[] {
  const values = Object.entries(fields).map(
    // Not -F, which would read a value that begins with @ as the name of a file.
    ([name, value]) => `--form-string ${word(`${name}=${value}`)}`,
  )
  return [`-F ${word(`file=@"${file}";type=${type}`)}`, ...values]
}

/** In single quotes a shell reads nothing but their end. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const word = (text: string) => (/^[\w./=-]+$/.test(text) ? text : quoted(text))
