import { invalidField } from '../../../lib/failure.ts'
import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../../lib/json.ts'
import type { SentItem } from './item-kinds.ts'

/*
 * Tools that OpenAI defines and the caller runs. A model gets each as a function with the name of
 * its type. No upstream is given them as they are: some run `shell` themselves, at a price.
 */

export type ClientToolKind = 'shell' | 'local_shell' | 'apply_patch'

type ClientTool = {
  description: string
  parameters: Fields
  /** What the model wrote in an earlier call. */
  argumentsOf(call: SentItem): Fields
}

const TEXT = { type: 'string' }
const TEXTS = { type: 'array', items: TEXT }
const NUMBER = { type: 'integer' }

const TOOLS: Record<ClientToolKind, ClientTool> = {
  shell: {
    description:
      'Runs commands on the computer of the user, each in a new shell, and gives their output.',
    parameters: schema({ commands: TEXTS, timeout_ms: NUMBER, max_output_length: NUMBER }, [
      'commands',
    ]),
    argumentsOf: (call) => given(call, 'action', { commands: 'texts' }, SHELL_NUMBERS),
  },
  local_shell: {
    description:
      'Runs one program on the computer of the user, given as its name and its arguments, and gives its output.',
    parameters: schema({ command: TEXTS, timeout_ms: NUMBER, working_directory: TEXT }, [
      'command',
    ]),
    argumentsOf: (call) => given(call, 'action', { command: 'texts' }, LOCAL_SHELL_MORE),
  },
  apply_patch: {
    description: `Creates, updates or deletes one file of the user. The diff of a new file has + before each line. That of an update has sections, each begun by a line with @@ and, where it helps, the function or class that the change is in; their lines begin with a space where nothing changes, with - where they go and with + where they come, three unchanged ones before and after a change. There are no line numbers and no names of files in it.`,
    parameters: schema(
      {
        type: { ...TEXT, enum: ['create_file', 'update_file', 'delete_file'] },
        path: TEXT,
        diff: TEXT,
      },
      ['type', 'path'],
    ),
    argumentsOf: (call) => given(call, 'operation', { type: 'text', path: 'text' }, ['diff']),
  },
}

const SHELL_NUMBERS = ['timeout_ms', 'max_output_length']
const LOCAL_SHELL_MORE = ['timeout_ms', 'working_directory']

function schema(properties: Fields, required: string[]): Fields {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Undefined where it is none, or is to run in a provider's container. */
export function clientToolKind({ type, environment }: Fields): ClientToolKind | undefined {
  if (typeof type !== 'string' || !Object.hasOwn(TOOLS, type)) return undefined
  const place = fieldsOf(environment).type ?? LOCAL
  return place === LOCAL ? (type as ClientToolKind) : undefined
}

const LOCAL = 'local'

/** The function for the model, but for its name. */
export function clientFunction(kind: ClientToolKind, { environment }: Fields): Fields {
  const { description, parameters } = TOOLS[kind]
  const skills = listOf(fieldsOf(environment).skills).filter(isFields).map(skillLine)
  return { description: [description, ...skills].join('\n'), parameters }
}

function skillLine({ name, path, description }: Fields): string {
  const [called, where, what] = [name, path, description].map((one) => textOf(one) ?? '')
  return `Skill ${called}, to be read in ${where}: ${what}`
}

const CALL = /^(shell|local_shell|apply_patch)_call$/
const RESULT = /^(shell|local_shell|apply_patch)_call_output$/

/** Which of these tools an item calls. */
export function calledClientTool({ type }: Fields): ClientToolKind | undefined {
  return CALL.exec(textOf(type) ?? '')?.[1] as ClientToolKind | undefined
}

/** A call of such a tool, or what came of it. */
export function isOfClientTool({ type }: Fields): boolean {
  return CALL.test(textOf(type) ?? '') || RESULT.test(textOf(type) ?? '')
}

export function clientCall(kind: ClientToolKind, call: SentItem): Fields {
  return { name: kind, arguments: JSON.stringify(TOOLS[kind].argumentsOf(call)) }
}

/** The member of a call that has its arguments: some are required, the others are plain values. */
function given(
  { item, at }: SentItem,
  name: 'action' | 'operation',
  required: Record<string, 'text' | 'texts'>,
  others: readonly string[],
): Fields {
  const place = `${at}.${name}`
  const member = item[name]
  if (!isFields(member)) throw invalidField(place, 'must be an object')
  const found: Fields = {}
  for (const [key, kind] of Object.entries(required)) {
    const value = member[key]
    const isText = typeof value === 'string'
    if (kind === 'text' && !isText) throw invalidField(`${place}.${key}`, 'must be a string')
    if (kind === 'texts' && !isTexts(value)) {
      throw invalidField(`${place}.${key}`, 'must be an array of strings')
    }
    found[key] = value
  }
  for (const key of others) if (isPlain(member[key])) found[key] = member[key]
  return found
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

/** What came of a call, for the model; undefined for results in the usual form. */
export function clientResult({ item, at }: SentItem): string | undefined {
  const { type, status, output } = item
  if (type === 'apply_patch_call_output') {
    return [textOf(status) ?? '', textOf(output) ?? ''].filter((one) => one !== '').join('\n')
  }
  if (type !== 'shell_call_output' || typeof output === 'string') return undefined
  if (!Array.isArray(output)) throw invalidField(`${at}.output`, 'must be an array of outputs')
  return output.map((one) => ranCommand(fieldsOf(one))).join('\n\n')
}

function ranCommand({ stdout, stderr, outcome }: Fields): string {
  const { type, exit_code: code } = fieldsOf(outcome)
  const end = type === 'timeout' ? 'It took too long and was stopped.' : `Exit code ${Number(code)}`
  const lines = [end, textOf(stdout) ?? '', textOf(stderr) ?? '']
  return lines.filter((line) => line !== '').join('\n')
}
