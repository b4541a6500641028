import { dropDatabases } from '../support/databases.ts'
import type { Outcome, Suite } from './suite.ts'
import { aimock } from './suites/aimock.ts'
import { compatcanary } from './suites/compatcanary.ts'
import { llmComply } from './suites/llm-comply.ts'
import { openaiDocument } from './suites/openai-document.ts'
import { openResponses } from './suites/open-responses.ts'
import { schemathesis } from './suites/schemathesis.ts'
import { standardWebhooks } from './suites/standard-webhooks.ts'
import { strictMessages } from './suites/strict-messages.ts'
import { better, EXPECTED, worse } from './verdict.ts'

/**
 * `npm run check:outsiders`, or `npm run check:outsiders -- schemathesis`: suites that others wrote.
 * Ends with 1 where fewer tests pass than docs/outsiders.md says.
 */
const SUITES: Suite[] = [
  openResponses,
  ...llmComply,
  compatcanary,
  openaiDocument,
  strictMessages,
  schemathesis,
  standardWebhooks,
  aimock,
]
const wanted = process.argv.slice(2)
const chosen = SUITES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const unknown = wanted.filter((name) => !SUITES.some((suite) => suite.name === name))
if (unknown.length > 0) {
  const names = SUITES.map(({ name }) => name).join(', ')
  console.error(`There is no suite named ${unknown.join(' or ')}. There are: ${names}`)
  process.exit(2)
}
let bad = 0
for (const suite of chosen) bad += (await judge(suite)) ? 0 : 1
await dropDatabases()
process.exit(bad === 0 ? 0 : 1)

async function judge(suite: Suite): Promise<boolean> {
  const { name, needs } = suite
  if (needs !== undefined && process.env[needs] === undefined) {
    console.log(`${name}: not run, ${needs} is not set (docs/outsiders.md says to what)`)
    return !wanted.includes(name)
  }
  const expected = EXPECTED.find((one) => one.name === name)
  if (expected === undefined) throw new Error(`expected.json has no ${name}`)
  console.log(`${name} ${expected.version}`)
  const startedMs = performance.now()
  try {
    const outcomes = await suite.run(expected.version)
    return say(outcomes, { wrong: worse(expected, outcomes), right: better(expected, outcomes) })
  } catch (error) {
    console.log(`  broke: ${error instanceof Error ? error.stack : String(error)}`)
    return false
  } finally {
    console.log(`  (${Math.round((performance.now() - startedMs) / 1_000)} s)`)
  }
}

function say(outcomes: Outcome[], { wrong, right }: { wrong: string[]; right: string[] }): boolean {
  const failed = outcomes.filter(({ failure }) => failure !== undefined)
  for (const { name, failure } of failed) console.log(`  fails: ${name}: ${failure}`)
  console.log(`  ${outcomes.length - failed.length} of ${outcomes.length} pass`)
  for (const line of wrong) console.log(`  WORSE than the table: ${line}`)
  for (const name of right) console.log(`  better than the table: ${name} passes`)
  return wrong.length === 0
}
