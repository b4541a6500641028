import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Expected, Outcome } from './suite.ts'

/** What the table says, in the order of the table. */
export const EXPECTED = JSON.parse(
  readFileSync(join(import.meta.dirname, 'expected.json'), 'utf8'),
) as Expected[]

/** Where a run is worse than the table says. */
export function worse({ of, fails }: Expected, outcomes: Outcome[]): string[] {
  const failed = outcomes.filter(({ failure }) => failure !== undefined)
  const surprises = failed.filter(({ name }) => !(name in fails))
  const count = outcomes.length >= of ? [] : [`has ${outcomes.length} tests, not ${of}`]
  return [...count, ...surprises.map(({ name, failure }) => `${name}: ${failure}`)]
}

/** What passes and stands in the table as failing. */
export function better({ fails }: Expected, outcomes: Outcome[]): string[] {
  const passed = outcomes.filter(({ failure }) => failure === undefined)
  return passed.map(({ name }) => name).filter((name) => name in fails)
}

/** The table of docs/outsiders.md. */
export function table(): string {
  const rows = EXPECTED.map(({ name, version, what, of, before, fails }) => {
    const passed = of - Object.keys(fails).length
    return `| \`${name}\` | ${version} | ${what} | ${before} | ${passed} of ${of} |`
  })
  const head = ['| Suite | Version | What it is | Before | Now |', '|---|---|---|---|---|']
  return [...head, ...rows].join('\n')
}

/** What fails now, and why: tests with the same reason in one row. */
export function failures(): string {
  const rows = EXPECTED.flatMap(({ name, fails }) =>
    [...Map.groupBy(Object.entries(fails), ([, why]) => why)].map(
      ([why, tests]) => `| \`${name}\` | ${tests.map(([test]) => test).join('; ')} | ${why} |`,
    ),
  )
  return ['| Suite | Tests | Why they fail |', '|---|---|---|', ...rows].join('\n')
}
