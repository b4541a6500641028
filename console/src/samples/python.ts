import type { SampleCall } from './types.ts'

export function pythonOf(origin: string, call: SampleCall): string {
  const { form, inBase64, answer } = call
  const needsBase64 = inBase64 !== undefined || answer === 'pictures'
  const imports = [...(needsBase64 ? ['base64'] : []), 'os']
  return [
    `${imports.map((name) => `import ${name}`).join('\n')}\n\nimport requests\n`,
    ...(inBase64
      ? [
          `with open(${text(inBase64.file)}, "rb") as file:\n    data = base64.b64encode(file.read()).decode()\n`,
        ]
      : []),
    'response = requests.post(',
    `    ${text(origin + call.path)},`,
    `    headers=${headersOf(call)},`,
    ...(form
      ? [
          `    data=${literal(form.fields, 4)},`,
          `    files={"file": (${text(form.file)}, open(${text(form.file)}, "rb"), ${text(form.type)})},`,
        ]
      : [`    json=${bodyOf(call)},`]),
    ...(answer === 'stream' ? ['    stream=True,'] : []),
    ')',
    'response.raise_for_status()',
    TAILS[answer ?? 'text'],
  ].join('\n')
}

const TAILS = {
  text: 'print(response.json())',
  stream: `response.encoding = "utf-8"
for line in response.iter_lines(decode_unicode=True):
    print(line)`,
  sound: `with open("jibu.mp3", "wb") as file:
    file.write(response.content)`,
  pictures: `for number, picture in enumerate(response.json()["data"], 1):
    with open(f"picha-{number}.png", "wb") as file:
        file.write(base64.b64decode(picture["b64_json"]))`,
}

function headersOf({ headers }: SampleCall): string {
  const more = Object.entries(headers ?? {}).map(
    ([name, value]) => `, ${text(name)}: ${text(value)}`,
  )
  return `{"Authorization": "Bearer " + os.environ["MLANGO_KEY"]${more.join('')}}`
}

function bodyOf({ body, inBase64 }: SampleCall): string {
  const whole = literal(body ?? {}, 4)
  if (inBase64 === undefined) return whole
  return `{\n        ${text(inBase64.member)}: data,${whole.slice(1)}`
}

const text = (value: string) => JSON.stringify(value)

function literal(value: unknown, indent: number): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null) return 'None'
  if (typeof value !== 'object') return JSON.stringify(value)
  const pad = ' '.repeat(indent + 4)
  const lines = Array.isArray(value)
    ? value.map((one) => literal(one, indent + 4))
    : Object.entries(value).map(([name, one]) => `${text(name)}: ${literal(one, indent + 4)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (lines.length === 0) return `${open}${close}`
  return `${open}\n${lines.map((line) => `${pad}${line},`).join('\n')}\n${' '.repeat(indent)}${close}`
}
