import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '../../src')
/** Read at the start or by the operator: no stranger's text comes here. */
const OWN_TEXT_ONLY =
  /^(config|prepare-database|master-key|operator\/|db\/(local|backup)\/|http\/docs\/)/

/** Superlinear, and why that is harmless. */
const BOUNDED: Record<string, string> = {
  'accounts/accounts.ts \\/+$': 'settings',
  'accounts/sign-in/github.ts \\/+$': 'settings',
  'accounts/sign-in/issuer-keys.ts \\/+$': 'settings',
  'accounts/sign-in/sign-in.ts \\/+$': 'settings',
  'notices/africastalking.ts \\/+$': 'settings',
  'notices/beem.ts \\/+$': 'settings',
  'notices/smtp.ts @([^\\s<>@]+)>?\\s*$': 'settings',
  'upstream/attempt.ts \\/+$': 'settings',
  'lib/log.ts \\(?file:\\/\\/.*\\/(src|simulator|node_modules)\\/': 'lines cut to 300 letters',
}

const LITERAL =
  /(?:[(=,:?[!&|]|return)\s*\/(?![*/])((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g

type Pattern = { file: string; source: string; flags: string }

function patternsOf(file: string): Pattern[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  return [...text.matchAll(LITERAL)].map(([, source, flags]) => ({
    file,
    source: source!,
    flags: flags!,
  }))
}

const patterns = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !OWN_TEXT_ONLY.test(file))
  .flatMap(patternsOf)

/** What a text may begin with so that the pattern goes on, and what it may then be full of. */
function hostileTexts({ source }: Pattern): { opening: string; filling: string }[] {
  const literal = /^\^?((?:[\w @;:,-]|\\[/.:])*)/.exec(source)![1]!.replaceAll('\\', '')
  const openings = new Set(['', literal, literal.slice(0, -1)])
  const plain = source.replaceAll(/\\[a-z]/gi, '') + ' \t\n\0a0A/.-;,:"='
  const letters = new Set(plain.split(''))
  const fillings = [...letters, ...[...letters].map((letter) => `${letter} `), literal, 'a.', 'a-']
  return [...openings].flatMap((opening) =>
    fillings.filter((filling) => filling !== '').map((filling) => ({ opening, filling })),
  )
}

const SMALL = 2_000
const TIMES = 16

/**
 * How much longer one long text takes than sixteen of a sixteenth of its length; the thread's own
 * time. Both are as much text, so that neither is too short for the clock.
 */
function growth(pattern: RegExp, text: (length: number) => string): { ratio: number; ms: number } {
  const cost = (length: number, times: number) => {
    const input = text(length)
    const began = process.threadCpuUsage()
    for (let i = 0; i < times; i++) {
      pattern.lastIndex = 0
      input.replace(pattern, '')
    }
    const { user, system } = process.threadCpuUsage(began)
    return (user + system) / 1_000
  }
  const small = Math.max(0.3, Math.min(cost(SMALL, TIMES), cost(SMALL, TIMES)))
  const ms = Math.min(cost(SMALL * TIMES, 1), cost(SMALL * TIMES, 1))
  return { ratio: ms / small, ms }
}

/** On a busy machine a try may be slow by chance. */
function isSuperlinear(pattern: RegExp, text: (length: number) => string): boolean {
  return [1, 2, 3].every(() => {
    const { ratio, ms } = growth(pattern, text)
    // In proportion it would be 1, with the square of the length 16.
    return ratio >= 6 && ms >= 20
  })
}

test('every pattern that may see a stranger text takes time in proportion to it', () => {
  assert.ok(patterns.length > 70, `${patterns.length} patterns were found`)
  const superlinear: string[] = []
  for (const pattern of patterns) {
    const name = `${pattern.file} ${pattern.source}`
    const compiled = new RegExp(pattern.source, pattern.flags)
    if (name in BOUNDED) continue
    for (const { opening, filling } of hostileTexts(pattern)) {
      const text = (length: number) => `${opening}${filling.repeat(length / filling.length)}\u0001x`
      if (!isSuperlinear(compiled, text)) continue
      superlinear.push(`${name} on ${JSON.stringify(opening)} and many ${JSON.stringify(filling)}`)
      break
    }
  }
  assert.deepEqual(superlinear, [])
})

test('each exception is still there', () => {
  const names = new Set(patterns.map(({ file, source }) => `${file} ${source}`))
  for (const name of Object.keys(BOUNDED)) assert.ok(names.has(name), name)
})
