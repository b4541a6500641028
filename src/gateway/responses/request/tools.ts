import { Failure, invalidField } from '../../../lib/failure.ts'
import { isFields, listOf, textOf, type Fields } from '../../../lib/json.ts'
import { clientFunction, clientToolKind, type ClientToolKind } from './client-tools.ts'
import { customFunction } from '../../chat/tools/custom-tools.ts'
import { fittedToolName } from '../../chat/dialects.ts'

/** A tool as the caller names it. */
export type OwnTool = {
  kind: 'function' | 'custom' | ClientToolKind
  name: string
  namespace: string | undefined
}

/** By the name that the model knows. */
export type OwnTools = ReadonlyMap<string, OwnTool>

/** `at` is the request's field that they came from. */
export type SentTools = { tools: readonly unknown[]; at: string }

export type ReadTools = { chat: Fields[]; own: OwnTools; hosted: HostedTool | undefined }

/** The first tool that a provider would have to run. */
type HostedTool = { type: string; at: string }

const MOST_TOOLS = 1_000
/** With those that are sent again in a later turn. */
const MOST_SENT_TOOLS = 10_000
/** The name of a namespace becomes a part of the name of each of its tools. */
const LONGEST_NAME = 1_024
const NO_TOOLS: ReadTools = { chat: [], own: new Map(), hosted: undefined }

/**
 * Tools that a provider runs cost extra, so they are left out while there are others. Of two tools
 * with one name the later one counts.
 */
export function readTools(lists: readonly SentTools[]): ReadTools {
  const sent = lists.flatMap(flattened)
  if (sent.length === 0) return NO_TOOLS
  if (sent.length > MOST_SENT_TOOLS) {
    throw invalidField('tools', `must have at most ${MOST_SENT_TOOLS} items`)
  }
  const own = new Map<string, OwnTool>()
  const chat = new Map<string, Fields>()
  let hosted: HostedTool | undefined
  for (const { tool, at, namespace } of sent) {
    const kind = kindOf(tool, at, namespace)
    if (kind === undefined) {
      hosted ??= { type: tool.type as string, at }
      continue
    }
    const name = nameOf(tool, kind, at)
    const known = chatToolName(name, namespace)
    own.set(known, { kind, name, namespace })
    chat.set(known, chatTool({ name: known, ...functionOf(tool, kind) }))
  }
  if (chat.size > MOST_TOOLS) throw invalidField('tools', `must have at most ${MOST_TOOLS} items`)
  return { chat: [...chat.values()], own, hosted }
}

/** A hosted tool alone is refused: the model would invent its result. */
export function refuseHosted({ type, at }: HostedTool): Failure {
  return new Failure(
    'invalid',
    `${at}.type: "${type.slice(0, 64)}" is not run here. Send tools that you run yourself, of type function or custom.`,
    { param: `${at}.type`, code: 'unsupported_tool' },
  )
}

type FlatTool = { tool: Fields; at: string; namespace: string | undefined }

function flattened({ tools, at }: SentTools): FlatTool[] {
  return tools.flatMap((tool, i): FlatTool[] => {
    const field = `${at}[${i}]`
    if (!isFields(tool)) throw invalidField(field, 'must be an object')
    if (tool.type !== 'namespace') return [{ tool, at: field, namespace: undefined }]
    const namespace = textOf(tool.name)
    if (namespace === undefined) throw invalidField(`${field}.name`, 'must be a string')
    checkLength(namespace, `${field}.name`)
    return listOf(tool.tools).map((inner, k) => {
      if (!isFields(inner)) throw invalidField(`${field}.tools[${k}]`, 'must be an object')
      return { tool: inner, at: `${field}.tools[${k}]`, namespace }
    })
  })
}

function checkLength(name: string, at: string): void {
  if (name.length > LONGEST_NAME) {
    throw invalidField(at, `must have at most ${LONGEST_NAME} characters`)
  }
}

function kindOf(
  tool: Fields,
  at: string,
  namespace: string | undefined,
): OwnTool['kind'] | undefined {
  const { type } = tool
  if (typeof type !== 'string') throw invalidField(`${at}.type`, 'is required')
  if (type === 'function' || type === 'custom') return type
  // The others have no names that a namespace could be put before.
  return namespace === undefined ? clientToolKind(tool) : undefined
}

/** Tools that OpenAI defines are named after their type. */
function nameOf({ name }: Fields, kind: OwnTool['kind'], at: string): string {
  if (kind !== 'function' && kind !== 'custom') return kind
  if (typeof name !== 'string' || name === '') throw invalidField(`${at}.name`, 'is required')
  checkLength(name, `${at}.name`)
  return name
}

function functionOf(tool: Fields, kind: OwnTool['kind']): Fields {
  if (kind === 'custom') return customFunction(tool)
  if (kind !== 'function') return clientFunction(kind, tool)
  return {
    description: textOf(tool.description),
    parameters: isFields(tool.parameters) ? tool.parameters : undefined,
    strict: typeof tool.strict === 'boolean' ? tool.strict : undefined,
  }
}

function chatTool(made: Fields): Fields {
  return { type: 'function', function: made }
}

/** The name that the model knows. `functions` is the namespace of tools without one. */
export function chatToolName(name: string, namespace: string | undefined): string {
  if (namespace === undefined || namespace === '' || namespace === 'functions') {
    return fittedToolName(name)
  }
  return fittedToolName(namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`)
}
