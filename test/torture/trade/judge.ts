import { checkAuditLog } from '../../../src/operators/audit-log.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { eventually } from '../../support/eventually.ts'
import type { startApp } from '../../support/app.ts'
import { assertOverview, independentFigures } from '../../support/money/independent-figures.ts'
import type { Loose } from '../../support/loose.ts'
import { newOperator } from '../../support/operators.ts'
import { differences } from './compare.ts'
import { monthsBetween, readExports, readTables } from './exports.ts'

type App = Awaited<ReturnType<typeof startApp>>

export type Verdict = {
  overview: Record<string, number>
  exports: Record<string, number>
  /** How long each took, in milliseconds. */
  took: Record<string, number>
  violations: string[]
}

/** Compares what operators are shown with the rows themselves; what differs is a violation. */
export async function judge(
  app: App,
  settings: { zone: string; tzsPerUsd: string },
): Promise<Verdict> {
  const { db } = app
  const { token } = await newOperator(app, 'owner')
  const violations: string[] = []
  const took: Record<string, number> = {}
  const check = async (what: string, work: () => Promise<void>) => {
    await work().catch((error: unknown) => violations.push(`${what}: ${String(error)}`))
  }
  const timed = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const startedMs = performance.now()
    const result = await work
    took[what] = Math.round(performance.now() - startedMs)
    return result
  }
  const read = app.call('GET /v1/operator/overview', { token })
  const { data, period } = (await timed('overview', read)).body
  const tzsPerUsd = await ratesOf(app, settings.tzsPerUsd)
  await check('the overview', async () => {
    const options = { zone: settings.zone, tzsPerUsd }
    // Row by row it takes longer than a statement of the service may.
    assertOverview(data, await db.begin((tx) => independentFigures(tx, options), 'patient'))
  })
  const months = monthsBetween(period.from, period.to)
  const exports = { months: months.length, ledger: 0, payments: 0 }
  await check('the exports', async () => {
    const exported = await timed('exports', readExports(app, token, months))
    for (const { ledger, payments } of exported) {
      exports.ledger += ledger.length
      exports.payments += payments.length
    }
    const audit = await timed('audit', runAudit(app, token))
    const tables = await readTables(db)
    violations.push(...differences({ months: exported, tables, overview: data, audit }))
  })
  await check('the books', () => assertAgreement(db))
  await check('the log of the operators', async () => {
    const { finding } = await checkAuditLog(db)
    if (finding !== undefined) throw new Error(finding)
  })
  const numbers = Object.entries(data).filter(([, value]) => typeof value === 'number')
  return {
    overview: Object.fromEntries(numbers) as Record<string, number>,
    exports,
    took,
    violations,
  }
}

async function ratesOf({ db }: App, byDefault: string): Promise<(day: string) => string> {
  const rates = await db.query<{ day: string; rate: string }>(
    'select day::text, tzs_per_usd as rate from fx_rates order by 1 desc',
  )
  return (day) => rates.find((one) => one.day <= day)?.rate ?? byDefault
}

/** As an operator asks for it, until it has ended. */
async function runAudit(app: App, token: string): Promise<Loose> {
  const asked = await app.call('POST /v1/operator/audits', { token, body: {} })
  return eventually('the audit ends', async () => {
    const { body } = await app.call(`GET /v1/operator/audits/${asked.body.data.id}`, { token })
    return ['done', 'failed'].includes(body.data.state) && body.data
  })
}
