import type { TestOperator } from '../../support/operators.ts'
import { usedAccount } from './used-account.ts'
import type { Rig } from './rig.ts'

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'

/** Something of everything that an operator can be shown; the account that most of it is about. */
export async function busyService(rig: Rig, owner: TestOperator): Promise<string> {
  const { app } = rig
  const asha = await usedAccount(rig)
  const hostile = await app.signUp()
  await app.call('PATCH /v1/me', { token: hostile.token, body: { full_name: HOSTILE } })
  await app.db.query(
    `update payments set status = 'pending', completed_at = null,
       created_at = created_at - interval '50 hours'
     where account_id = $1 and status = 'failed'`,
    [asha.accountId],
  )
  await deadMessages(rig)
  await waitingPrice(rig)
  const act = (path: string, body: object) =>
    app.call(`POST /v1/operator/accounts/${asha.accountId}${path}`, {
      token: owner.token,
      body,
    })
  await act('/adjustments', { amount_credits: 7.5, reason: 'Fidia ya hitilafu ya jana' })
  await act('/adjustments', { amount_credits: 900_000, reason: HOSTILE })
  const price = { ids: ['sim/hekima'], reason: 'Mtoa modeli amethibitisha bei hii' }
  await app.call('POST /v1/operator/prices/approval', { token: owner.token, body: price })
  const margin = { margin: '0.5', reason: 'Bei ya uzinduzi kwa wiki moja' }
  await app.call('PATCH /v1/operator/margins/text', { token: owner.token, body: margin })
  await act('/suspension', { reason: HOSTILE })
  await app.call(`DELETE /v1/operator/accounts/${asha.accountId}/suspension`, {
    token: owner.token,
    body: { reason: 'Ilikuwa makosa' },
  })
  return asha.accountId
}

async function deadMessages(rig: Rig): Promise<void> {
  await rig.app.db.query(
    `update outbox set state = 'dead', finished_at = now() - interval '2 hours', attempts = 8,
       last_error = $1
     where id in (select id from outbox order by created_at limit 2)`,
    [`550 5.1.1 no such user ${HOSTILE}`],
  )
}

async function waitingPrice(rig: Rig): Promise<void> {
  await rig.app.db.query(
    `insert into pending_prices (model_id, upstream, pricing, basis, priced, reason, noticed_at)
     select o.model_id, o.upstream, s.pricing || jsonb_build_object(
         'prompt', ((s.pricing->>'prompt')::numeric * 20)::text),
       s.basis, s.priced, 'moved', now() - interval '3 days'
     from catalog_models m join catalog_offers o on o.model_id = m.resource_id
       join price_snapshots s on s.id = o.price_id
     where m.id = 'sim/hekima'`,
  )
}
