import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { refused } from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { parseCsv } from '../../support/money/csv.ts'
import { eventually } from '../../support/eventually.ts'
import { startApp } from '../../support/app.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'
import { dayAt } from '../../../src/lib/days.ts'

let app: Awaited<ReturnType<typeof startApp>>
let viewer: TestOperator
let support: TestOperator
let customer: Awaited<ReturnType<typeof app.customer>>
before(async () => {
  app = await startApp({ env: { TOPUP_REQUIRE_VERIFIED_PHONE: 'false' } })
  viewer = await newOperator(app, 'viewer')
  support = await newOperator(app, 'support')
  customer = await app.customer('100')
})
after(async () => {
  await assertAudit(app.db)
  await app.close()
})

const get = (path: string, { token }: { token: string }) =>
  app.call(`GET /v1/operator/${path}`, { token })
const thisMonth = () => dayAt(new Date(), 'Africa/Dar_es_Salaam').slice(0, 7)

describe('audits', () => {
  it('202 and then the result; asking twice is one audit', async () => {
    const ask = () =>
      app.call('POST /v1/operator/audits', {
        token: support.token,
        body: { reason: 'The end of the month' },
      })
    const asked = await ask()
    assert.equal(asked.status, 202)
    const { id } = asked.body.data
    const run = await eventually('the audit is done', async () => {
      const { data } = (await get(`audits/${id}`, viewer)).body
      assert.ok(['waiting', 'running', 'done'].includes(data.state), JSON.stringify(data))
      return data.state === 'done' && data
    })
    assert.equal(run.step, run.of)
    assert.deepEqual(run.findings, [])
    assert.ok(run.entries >= 1)
    assert.ok(run.started_at <= run.ended_at)
    const { findings: _none, ...summary } = run
    const list = await get('audits', viewer)
    assert.deepEqual(list.body.data[0], summary)
    const [act] = (await get(`actions?target=${id}`, viewer)).body.data
    assert.equal(act.action, 'books.audit')
    assert.equal(act.reason, 'The end of the month')
  })

  it('400 and 404 for what is no audit', async () => {
    refused(await get(`audits/${uuidv7()}`, viewer), 404, 'not_found')
    refused(await get('audits/1', viewer), 404, 'not_found')
    refused(await get('audits?before=1', viewer), 400, 'validation_error')
    const wrong = await app.call('POST /v1/operator/audits', {
      token: support.token,
      body: { reason: 'x' },
    })
    refused(wrong, 400, 'validation_error')
  })
})

type Movement = { amount_credits: number; entries: number }

describe('exports', () => {
  async function download(path: string, { token }: { token: string }) {
    const answer = await fetch(`${app.url}/v1/operator/exports/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return { answer, rows: parseCsv(await answer.text()) }
  }

  it('200: the ledger and the payments of a month, whose sums agree; each is in the log', async () => {
    await pay()
    const month = thisMonth()
    const { answer, rows } = await download(`ledger.csv?month=${month}`, viewer)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
    const name = `attachment; filename="mlango-ledger-${month}.csv"`
    assert.equal(answer.headers.get('content-disposition'), name)
    const { data: sums } = (await get(`exports/sums?month=${month}`, viewer)).body
    const { opening_credits, closing_credits, movements } = sums.ledger
    assert.equal(opening_credits, 0)
    const moved = movements.reduce((all: number, one: Movement) => all + one.amount_credits, 0)
    assert.equal(closing_credits, moved)
    assert.equal(
      rows.length,
      movements.reduce((all: number, one: Movement) => all + one.entries, 0),
    )
    const overview = await get('overview', viewer)
    assert.equal(closing_credits, overview.body.data.owed.balance_credits)
    assert.equal(sums.payments.received_tzs, overview.body.data.received_tzs)
    const [act] = (await get('actions?action=books.export', viewer)).body.data
    assert.deepEqual(act.target, { type: 'export', id: `ledger ${month}` })
    assert.equal(act.operator.account_id, viewer.accountId)
  })

  it('200: a viewer sees phone numbers masked, support sees them', async () => {
    const seen = async (who: TestOperator) => {
      const { rows } = await download(`payments.csv?month=${thisMonth()}`, who)
      return rows.map((row) => [row.phone_number, row.amount_tzs])
    }
    const [[number, amount]] = (await seen(support)) as [[string, string]]
    assert.match(number, /^\+255\d{9}$/)
    assert.equal(amount, '5000')
    const [[masked]] = (await seen(viewer)) as [[string, string]]
    assert.match(masked, /\*/)
    assert.ok(!masked.includes(number.slice(4, 10)))
  })

  it('400 names the month that is none', async () => {
    for (const month of ['2026-13', '2026-1', '', '2026-11-01', '%00', '9'.repeat(5_000)]) {
      for (const path of ['ledger.csv', 'payments.csv', 'sums']) {
        const answer = await get(`exports/${path}?month=${month}`, viewer)
        assert.equal(answer.status, 400, month)
        if (month !== '%00') assert.match(answer.body.message, /^month /)
      }
    }
    refused(await get('exports/ledger.csv', viewer), 400, 'validation_error')
  })

  async function pay(): Promise<void> {
    const { token, accountId } = customer
    await app.db.query(`update accounts set phone_number = '+255711230001' where id = $1`, [
      accountId,
    ])
    const made = await app.call('POST /v1/payments/topup', {
      token,
      body: { amount_tzs: 5_000 },
    })
    assert.ok(made.status < 300, JSON.stringify(made.body))
    const { id } = made.body.data
    const status = async () =>
      (await app.call(`GET /v1/payments/${id}`, { token })).body.data.status
    await eventually('the payment is completed', async () => (await status()) === 'completed')
  }
})
