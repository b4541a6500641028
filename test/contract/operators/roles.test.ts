import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { uuidv7 } from '../../../src/lib/ids.ts'
import type { Route } from '../../../src/http/route.ts'
import { PASSWORD, refused } from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { startApp } from '../../support/app.ts'
import { enrol, newOperator, type TestOperator } from '../../support/operators.ts'

/* Who may do what, for every route of operators: by role, by proof, and for everybody else. */

/** The least role, and whether a second factor of the last ten minutes is asked for. */
const TABLE = `
GET    /v1/operator/me                             viewer   session
GET    /v1/operator/operators                      viewer   second_factor
GET    /v1/operator/actions                        viewer   second_factor
GET    /v1/operator/refusals                       viewer   second_factor
GET    /v1/operator/accounts                       viewer   second_factor
GET    /v1/operator/accounts/:id                   viewer   second_factor
GET    /v1/operator/accounts/:id/transactions      viewer   second_factor
GET    /v1/operator/accounts/:id/activity          viewer   second_factor
GET    /v1/operator/accounts/:id/payments          viewer   second_factor
POST   /v1/operator/accounts/:id/suspension        support  fresh
DELETE /v1/operator/accounts/:id/suspension        support  fresh
DELETE /v1/operator/accounts/:id/sessions          support  fresh
DELETE /v1/operator/accounts/:id/api-keys/:key_id  support  fresh
POST   /v1/operator/accounts/:id/codes             support  fresh
POST   /v1/operator/accounts/:id/adjustments       support  fresh
GET    /v1/operator/requests                       viewer   second_factor
POST   /v1/operator/requests/:id/decision          owner    fresh
GET    /v1/operator/payments                       viewer   second_factor
GET    /v1/operator/payments/:id                   viewer   second_factor
POST   /v1/operator/payments/:id/check             support  fresh
POST   /v1/operator/payments/:id/resolution        support  fresh
POST   /v1/operator/payments/statement             support  second_factor
GET    /v1/operator/overview                       viewer   second_factor
GET    /v1/operator/series                         viewer   second_factor
GET    /v1/operator/fx                             viewer   second_factor
PUT    /v1/operator/fx/:day                        owner    fresh
GET    /v1/operator/attention                      viewer   second_factor
GET    /v1/operator/upstreams                      viewer   second_factor
GET    /v1/operator/upstreams/:name/minutes        viewer   second_factor
POST   /v1/operator/upstreams/:name/drain          owner    fresh
DELETE /v1/operator/upstreams/:name/drain          owner    fresh
POST   /v1/operator/audits                         support  fresh
GET    /v1/operator/audits                         viewer   second_factor
GET    /v1/operator/audits/:id                     viewer   second_factor
GET    /v1/operator/exports/ledger.csv             viewer   second_factor
GET    /v1/operator/exports/payments.csv           viewer   second_factor
GET    /v1/operator/exports/sums                   viewer   second_factor
GET    /v1/operator/models                         viewer   second_factor
PATCH  /v1/operator/models/*                       owner    fresh
GET    /v1/operator/margins                        viewer   second_factor
PATCH  /v1/operator/margins/:modality              owner    fresh
POST   /v1/operator/models/:id/try                 support  second_factor
GET    /v1/operator/prices/waiting                 viewer   second_factor
POST   /v1/operator/prices/approval                owner    fresh
GET    /v1/operator/models/:id/prices              viewer   second_factor
POST   /v1/operator/catalog/sync                   owner    fresh
GET    /v1/operator/outbox                         viewer   second_factor
POST   /v1/operator/outbox/:id/resend              support  fresh
GET    /v1/operator/webhooks                       owner    second_factor
POST   /v1/operator/webhooks                       owner    fresh
PATCH  /v1/operator/webhooks/:id                   owner    fresh
DELETE /v1/operator/webhooks/:id                   owner    fresh
POST   /v1/operator/webhooks/:id/secret            owner    fresh
GET    /v1/operator/webhooks/:id/deliveries        owner    second_factor
POST   /v1/operator/webhooks/:id/deliveries/:event_id/replay  owner  fresh
`

type Row = { line: string; role: Role; proof: string }
const ROLES = ['viewer', 'support', 'owner'] as const
type Role = (typeof ROLES)[number]

const rows: Row[] = TABLE.trim()
  .split('\n')
  .map((text) => text.split(/ +/))
  .map(([method, path, role, proof]) => ({
    line: `${method} ${path}`,
    role: role as Role,
    proof: proof!,
  }))

let app: Awaited<ReturnType<typeof startApp>>
let customer: Awaited<ReturnType<typeof app.customer>>
const operators = {} as Record<Role, TestOperator>
before(async () => {
  app = await startApp()
  customer = await app.customer('10')
  for (const role of ROLES) operators[role] = await newOperator(app, role)
})
after(async () => {
  await assertAudit(app.db)
  await app.close()
})

/** Ids that name nothing, so that nothing is done; an empty body is refused after the role is known. */
function ask({ line }: Row, token: string, body: unknown = {}) {
  const [method, path] = line.split(' ') as [string, string]
  const address = path.replaceAll(/:\w+|\*/g, uuidv7())
  return app.call(`${method} ${address}`, { token, ...(method === 'GET' ? {} : { body }) })
}

const NOWHERE = 'There is nothing at this address. The API reference is at /docs.'

it('the table has every route of operators', () => {
  const built = app.rooms.server.context.routes
    .filter(({ credential }) => credential === 'operator')
    .map(({ method, path, operator }: Route) => [`${method} ${path}`, operator])
  assert.deepEqual(
    built,
    rows.map(({ line, role, proof }) => [line, { role, proof }]),
  )
})

for (const row of rows) {
  describe(row.line, () => {
    for (const role of ROLES) {
      const may = ROLES.indexOf(role) >= ROLES.indexOf(row.role)
      it(`${may ? 'lets' : '403: does not let'} the role ${role} in`, async () => {
        const answer = await ask(row, operators[role].token)
        if (may)
          assert.ok([200, 202, 400, 404].includes(answer.status), JSON.stringify(answer.body))
        else refused(answer, 403, 'forbidden')
        assert.notEqual(answer.body.message, may ? NOWHERE : undefined)
      })
    }

    it('404 for a customer, with a token or a key, whatever the body', async () => {
      for (const credential of [customer.token, customer.key]) {
        for (const body of [{}, '{broken']) {
          const answer = await ask(row, credential, body)
          refused(answer, 404, 'not_found')
          assert.equal(answer.body.message, NOWHERE)
        }
      }
    })

    it('401 without a credential', async () => {
      refused(await ask(row, 'nobody'), 401, 'unauthorized')
    })
  })
}

describe('the second factor', () => {
  it('403 second_factor_required: actions ask for a fresh one, reading does not', async () => {
    const owner = await newOperator(app, 'owner')
    await owner.grow()
    for (const row of rows) {
      const answer = await ask(row, owner.token)
      if (row.proof === 'fresh') refused(answer, 403, 'second_factor_required')
      else assert.ok([200, 202, 400, 404].includes(answer.status), `${row.line}: ${answer.status}`)
    }
    const stepUp = (code: string) =>
      app.call('POST /v1/auth/step-up', { token: owner.token, body: { code } })
    refused(await stepUp('12345'), 400, 'validation_error')
    const code = owner.code()
    const given = await stepUp(code)
    assert.deepEqual(given.body.data, { fresh_for_s: 600 })
    for (const row of rows) {
      const { status } = await ask(row, owner.token)
      assert.ok([200, 202, 400, 404].includes(status), `${row.line}: ${status}`)
    }
    await owner.grow()
    refused(await stepUp(code), 400, 'otp_invalid')
  })

  it('403 second_factor_required: a session that never passed it may only ask who it is', async () => {
    const owner = await newOperator(app, 'owner')
    await app.db.query('update sessions set second_factor_at = null where account_id = $1', [
      owner.accountId,
    ])
    for (const row of rows) {
      const answer = await ask(row, owner.token)
      if (row.proof !== 'session') refused(answer, 403, 'second_factor_required')
      else assert.equal(answer.status, 200)
    }
  })

  it('403 second_factor_required: what was passed before the authenticator was set up is forgotten', async () => {
    const person = await app.signUp()
    const login = await app.call('POST /v1/auth/login', {
      body: { identifier: person.email, password: PASSWORD },
    })
    const older = { token: login.body.data.access_token as string }
    // As if both had been opened with a code by SMS.
    await app.db.query('update sessions set second_factor_at = now() where account_id = $1', [
      person.accountId,
    ])
    await enrol(app, 'owner', person)
    const list = ({ token }: { token: string }) => app.call('GET /v1/operator/accounts', { token })
    assert.equal((await list(person)).status, 200)
    refused(await list(older), 403, 'second_factor_required')
  })

  it('403 second_factor_required: a code by email is not enough', async () => {
    const viewer = await newOperator(app, 'viewer')
    await app.db.query("update accounts set mfa_method = 'email' where id = $1", [viewer.accountId])
    const answer = await app.call('GET /v1/operator/accounts', { token: viewer.token })
    refused(answer, 403, 'second_factor_required')
    const me = await app.call('GET /v1/operator/me', { token: viewer.token })
    assert.equal(me.body.data.authenticator, false)
    const code = viewer.code()
    const stepUp = await app.call('POST /v1/auth/step-up', {
      token: viewer.token,
      body: { code },
    })
    refused(stepUp, 403, 'forbidden')
  })
})

it('404 at once for an operator who was removed, suspended or deleted', async () => {
  const ends: [string, (id: string) => Promise<unknown>][] = [
    ['removed', (id) => app.db.query('delete from operators where account_id = $1', [id])],
    ['deleted', (id) => app.db.query('update accounts set deleted_at = now() where id = $1', [id])],
  ]
  for (const [what, end] of ends) {
    const owner = await newOperator(app, 'owner')
    await end(owner.accountId)
    const answer = await app.call('GET /v1/operator/me', { token: owner.token })
    refused(answer, 404, 'not_found')
    assert.equal(answer.body.message, NOWHERE, what)
  }
})

it('404 for another method at the address of an operator route, as for an unknown address', async () => {
  for (const line of ['POST /v1/operator/me', 'DELETE /v1/operator/actions']) {
    refused(await app.call(line, { token: customer.token, body: {} }), 404, 'not_found')
  }
  const preflight = await fetch(`${app.url}/v1/operator/me`, { method: 'OPTIONS' })
  assert.equal(preflight.status, 404)
})
