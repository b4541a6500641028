import { parseArgs } from 'node:util'
import { commandActor, type CommandActor } from '../operators/actor.ts'

/** Where a command's lines go. */
export type Print = (line: string) => void

/** `npm run mlango -- <name> …`. Prints for people; the number is the exit code. */
export type CliCommand<Parts> = {
  name: string
  help: string
  run(args: string[], parts: Parts & { print: Print }): Promise<number>
}

/** `usage`: the command line is not one of those in the help. */
export type CommandResult = 'usage' | { code: number; lines: string[] }

export function done(...lines: string[]): CommandResult {
  return { code: 0, lines }
}

export function failed(...lines: string[]): CommandResult {
  return { code: 1, lines }
}

export const TEXT = { type: 'string' } as const
export const FLAG = { type: 'boolean' } as const

type Options = Record<string, typeof TEXT | typeof FLAG>
type Values<O extends Options> = {
  [K in keyof O]: (O[K] extends typeof FLAG ? boolean : string) | undefined
}
/** What every verb takes besides: who does it, and why. */
type By = { actor: CommandActor; operator: string | undefined; reason: string | undefined }
type Bare<N extends string> = N extends `${infer M}?` ? M : N
type Given<N extends string, O extends Options> = Record<Bare<N>, string> & Values<O> & By
type Verb<Parts> = (args: string[], parts: Parts) => Promise<CommandResult>

/** Takes the named words, `word?` may be left out (then it is empty), and these options. */
export function verb<Parts, const N extends string, O extends Options>(
  names: readonly N[],
  options: O,
  run: (parts: Parts, given: Given<N, O>) => Promise<CommandResult>,
): Verb<Parts> {
  const fewest = names.filter((name) => !name.endsWith('?')).length
  return async (args, parts) => {
    const { words, values } = read(args, options)
    if (words.length < fewest || words.length > names.length) return 'usage'
    const named = names.map((name, i) => [name.replace('?', ''), words[i] ?? ''])
    const actor = commandActor(values.operator)
    return run(parts, { ...values, ...Object.fromEntries(named), actor } as Given<N, O>)
  }
}

/** What stands before the first option is a word, even `-5`. */
function read(args: string[], own: Options) {
  const first = args.findIndex((arg) => arg.startsWith('--'))
  const end = first === -1 ? args.length : first
  const options = { ...own, reason: TEXT, operator: TEXT }
  const parsed = parseArgs({ args: args.slice(end), options, allowPositionals: true })
  return { words: [...args.slice(0, end), ...parsed.positionals], values: parsed.values }
}

/** A command is one verb, or has several by name. */
export function command<Parts>(
  name: string,
  help: string,
  verbs: Verb<Parts> | Record<string, Verb<Parts>>,
): CliCommand<Parts> {
  return {
    name,
    help,
    async run(args, parts) {
      const [run, rest] =
        typeof verbs === 'function'
          ? [verbs, args]
          : [new Map(Object.entries(verbs)).get(args[0] ?? ''), args.slice(1)]
      const result = (await run?.(rest, parts)) ?? 'usage'
      const { code, lines } = result === 'usage' ? { code: 2, lines: [help] } : result
      for (const line of lines) parts.print(line)
      return code
    },
  }
}

/** One row of a list: what is undefined or empty is left out. */
export function tableRow(...values: (string | undefined)[]): string {
  return values.filter((value) => value !== undefined && value !== '').join('  ')
}

export function list(rows: string[]): CommandResult {
  return done(...rows, `${rows.length} shown.`)
}

/** `--limit`, 50 where it is left out; undefined when it is no number of rows. */
export function readLimit(limit = '50'): number | undefined {
  return /^[1-9]\d{0,3}$/.test(limit) ? Number(limit) : undefined
}
