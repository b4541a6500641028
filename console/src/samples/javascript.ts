import type { SampleCall } from './types.ts'

/** For Node 20 and newer, without any package. */
export function javaScriptOf(origin: string, call: SampleCall): string {
  const { form, inBase64, answer } = call
  const files = [
    ...(form || inBase64 ? ['readFile'] : []),
    ...(answer === 'sound' || answer === 'pictures' ? ['writeFile'] : []),
  ]
  return [
    ...(files.length > 0 ? [`import { ${files.join(', ')} } from 'node:fs/promises'\n`] : []),
    ...(form ? formLines(form) : []),
    `const response = await fetch(${text(origin + call.path)}, {`,
    `  method: 'POST',`,
    '  headers: {',
    '    Authorization: `Bearer ${process.env.MLANGO_KEY}`,',
    ...(form ? [] : [`    'Content-Type': 'application/json',`]),
    ...Object.entries(call.headers ?? {}).map(
      ([name, value]) => `    ${text(name)}: ${text(value)},`,
    ),
    '  },',
    form ? '  body: form,' : `  body: JSON.stringify(${bodyOf(call)}),`,
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    TAILS[answer ?? 'text'],
  ].join('\n')
}

const TAILS = {
  text: 'console.log(await response.json())',
  stream: `for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
  process.stdout.write(piece)
}`,
  sound: `await writeFile('jibu.mp3', Buffer.from(await response.arrayBuffer()))`,
  pictures: `const { data } = await response.json()
for (const [at, picture] of data.entries()) {
  await writeFile(\`picha-\${at + 1}.png\`, picture.b64_json, 'base64')
}`,
}

function formLines({ fields, file, type }: NonNullable<SampleCall['form']>): string[] {
  return [
    'const form = new FormData()',
    `const file = new Blob([await readFile(${text(file)})], { type: ${text(type)} })`,
    `form.append('file', file, ${text(file)})`,
    ...Object.entries(fields).map(([name, value]) => `form.append(${text(name)}, ${text(value)})`),
    '',
  ]
}

function bodyOf({ body, inBase64 }: SampleCall): string {
  const whole = indented(JSON.stringify(body ?? {}, null, 2))
  if (inBase64 === undefined) return whole
  const file = `await readFile(${text(inBase64.file)}, 'base64')`
  return `{\n    ${text(inBase64.member)}: ${file},${whole.slice(1)}`
}

const indented = (code: string) => code.replaceAll('\n', '\n  ')

const text = (value: string) => JSON.stringify(value)
