import { REASON_WORDS } from './reason-words.ts'

/** What is known of the upstream, and of the request that it refused. */
export type ReasonContext = {
  /** How it is called and reached, and the ids of its models: hidden wherever they stand. */
  names: readonly string[]
  /** The request as it was sent: what is quoted from it is the caller's own. */
  sent?: string | undefined
  /** The names of the caller's own fields. */
  fields?: ReadonlySet<string> | undefined
}

/**
 * An upstream's reason as a customer may read it. A list of what may pass, not of what may not:
 * ordinary words, numbers, names of fields, and what it quotes from the request. Everything else
 * could name the upstream, its account or its machines, and becomes "…". Undefined if too little is
 * left to help anybody.
 */
export function shownReason(text: string, context: ReasonContext): string | undefined {
  const plain = text
    .slice(0, LONGEST_READ)
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/\w{1,20}:\/\/\S*/g, HIDDEN)
  const judge = judgeOf(context)
  let shown = 0
  let hidden = 0
  let before = ''
  const spoken = plain.replaceAll(ATOM, (atom: string, at: number) => {
    if (atom === HIDDEN) return HIDDEN
    const [, lead, core, tail] = EDGES.exec(atom)!
    if (core === '') return /^[.\-/…]*$/.test(atom) ? atom : HIDDEN
    const passes = judge(core!, { before, quoted: QUOTE.test(plain[at - 1] ?? '') })
    if (passes && /[a-z]/i.test(core!)) shown += 1
    if (!passes) hidden += 1
    before = core!.toLowerCase()
    return lead + (passes ? core! : HIDDEN) + tail
  })
  if (shown < 2 || shown <= hidden) return undefined
  const joined = spoken.replaceAll(/…(?:[\s"'`([{]*…)+/g, HIDDEN).trim()
  return joined.length > LONGEST_SHOWN ? `${joined.slice(0, LONGEST_SHOWN - 1)}…` : joined
}

/** The field that is refused, if it is one of the caller's own and all its parts may be read. */
export function shownField(
  path: string | undefined,
  { sent, fields }: ReasonContext,
): string | undefined {
  if (path === undefined || !FIELD.test(path)) return undefined
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '')
  if (fields?.has(parts[0]!) !== true) return undefined
  const isSent = (part: string) => sent?.includes(`"${part}"`) === true
  return isPath(parts.join('.'), isSent) ? path : undefined
}

/** The field of the caller's that a sentence is about: it begins with it, or quotes it. */
export function fieldIn(sentence: string, context: ReasonContext): string | undefined {
  const named = sentence.slice(0, LONGEST_READ).matchAll(NAMED)
  // After a dot a number is a place in the upstream's own list, not in the caller's.
  const paths = [...named].map(([, first, quoted]) => (first ?? quoted)!.split(/\.\d/)[0])
  return paths.map((path) => shownField(path, context)).find((path) => path !== undefined)
}

const FIELD = /^[a-z]\w{0,63}(?:\.\w{1,64}|\[\d{1,6}\]){0,16}$/i
const NAMED = /^([a-z][\w.[\]]{0,200}): |["'`]([a-z][\w.[\]]{0,200})["'`]/gi
const HIDDEN = '…'
const LONGEST_READ = 2_000
const LONGEST_SHOWN = 300
const ATOM = /[^\s"'`()[\]{}<>,;:=!?|+*&#]+/g
const EDGES = /^([.\-/]*)(.*?)([.\-/]*)$/
const QUOTE = /["'`]/

type Place = { before: string; quoted: boolean }

function judgeOf({ names, sent }: ReasonContext) {
  const known = namesIn(names)
  const isSent = (atom: string) => sent?.includes(`"${atom}"`) === true
  return (atom: string, { before, quoted }: Place): boolean => {
    const lower = atom.toLowerCase()
    if (known.some((name) => lower === name || (name.length > 4 && lower.includes(name)))) {
      return false
    }
    if (NUMBER.test(atom)) return true
    if (REASON_WORDS.has(lower) && CASED.test(atom)) return true
    if (isPath(atom, isSent) || (quoted && QUOTABLE.test(atom) && isSent(atom))) return true
    return WORD.test(atom) && !IDENTIFYING.has(before)
  }
}

/** `openai`, `eu-gateway.acme.example` and `lab/door-1` in their parts, but for ordinary words. */
function namesIn(names: readonly string[]): string[] {
  return [...PRODUCTS, ...names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)])]
    .map((name) => name.toLowerCase())
    .filter((name) => name.length > 2 && /\p{L}/u.test(name) && !REASON_WORDS.has(name))
}

/** `messages.1.content`, `max_tokens`, `topK`, `image/png`: all its parts are words, or were sent. */
function isPath(atom: string, isSent: (part: string) => boolean): boolean {
  if (!/^(?=.*[a-z])[\w./-]{1,100}$/i.test(atom)) return false
  const parts = atom.split(/[./]/)
  return parts.every((part) => isSent(part) || humps(part).every(isPartOfName))
}

function humps(part: string): string[] {
  return part.replaceAll(/([a-z])([A-Z])/g, '$1_$2').split(/[_-]/)
}

function isPartOfName(part: string): boolean {
  return /^\d{0,6}$/.test(part) || REASON_WORDS.has(part.toLowerCase())
}

const NUMBER =
  /^(?:\d{1,9}|\d{1,3}(?:,\d{3}){1,3}|\d{1,9}\.\d{1,9})(?:%|k|m|kb|mb|gb|kib|mib|ms|s|px)?$/i
const CASED = /^(?:[a-z']+|[A-Z][a-z']*|[A-Z]{1,6}\d?)$/
/** A word that begins in lower case is hardly a name, unless it stands where one does. */
const WORD = /^[a-z]{1,18}$/
const QUOTABLE = /^[\w.-]{1,64}$/
const IDENTIFYING = new Set(
  (
    'account by cluster customer deployment from host key named org organisation organization ' +
    'project provider region resource server subscription team tenant user username upstream via ' +
    'workspace'
  ).split(' '),
)

/** Names that are written small, or stand inside others; all else with a capital is hidden anyway. */
const PRODUCTS = (
  'openai azure anthropic claude google gemini vertex bedrock amazon openrouter mistral groq ' +
  'togetherai fireworks deepinfra deepseek cohere perplexity grok nvidia nebius hyperbolic cerebras ' +
  'sambanova huggingface baseten cloudflare alibaba qwen moonshot kimi minimax zhipu siliconflow ' +
  'vllm sglang ollama litellm elevenlabs deepgram'
).split(' ')
