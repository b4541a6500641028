import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import { askForAudit } from '../../operators/accounting/audit-runs.ts'
import { findRun, listRuns, type AuditRun } from '../../operators/accounting/audit-runs-store.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import { stamp } from '../fields.ts'
import { acting, countField, idParams, reading, reasonField } from './shared.ts'

type Deps = { db: Db }

/** Audits of the ledger, run in the background. */
export function auditRoutes(deps: Deps): Route[] {
  return [askRoute(deps), listRoute(deps), readRoute(deps)]
}

const summary = {
  id: z.uuid(),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  asked_by: z.string(),
  step: z.int().meta({ description: 'How many rules have been checked' }),
  of: z.int().meta({ description: 'How many there are; 0 until the first has been checked' }),
  finding_count: z.int(),
  accounts: z.int().optional(),
  entries: z.int().optional(),
  holds: z.int().optional(),
  log_end: z.string().optional().meta({ description: "The last link of the operators' log" }),
  error: z.string().optional(),
  created_at: stamp,
  started_at: stamp.optional(),
  ended_at: stamp.optional(),
}

const runShape = z.object({
  ...summary,
  findings: z.array(z.string()).meta({ description: 'At most a thousand of them' }),
})

function askRoute({ db }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'POST',
    path: '/v1/operator/audits',
    summary:
      'Check the books in the background. While an audit waits or runs, this answers with that one',
    body: z.object({ reason: reasonField.optional() }),
    response: z.object({ id: z.uuid() }),
    successStatus: 202,
    async handle(call) {
      const { id } = await askForAudit(db, operatorActor(call), { reason: call.body.reason })
      return { data: { id } }
    },
  })
}

function listRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/audits',
    summary: 'List the audits of the books, newest first, without their findings',
    query: z.object({
      before: z.guid('must be a UUID').toLowerCase().optional(),
      limit: countField,
    }),
    response: z.array(z.object(summary)),
    async handle({ query: { before, limit } }) {
      const runs = await listRuns(db, { before, limit })
      return { data: runs.map(showSummary) }
    },
  })
}

function readRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/audits/:id',
    summary: 'Read an audit: how far it is, and what it found',
    params: idParams,
    response: runShape,
    async handle({ params }) {
      const run = await findRun(db, params.id)
      if (!run) throw new Failure('not_found', 'There is no such audit.')
      return { data: { ...showSummary(run), findings: run.findings } }
    },
  })
}

function showSummary(run: AuditRun) {
  const count = (value: bigint | null) => (value === null ? undefined : Number(value))
  return {
    id: run.id,
    state: run.state,
    asked_by: run.askedBy,
    step: run.step,
    of: run.steps,
    finding_count: run.findingCount,
    accounts: count(run.accounts),
    entries: count(run.entries),
    holds: count(run.holds),
    log_end: run.logEnd ?? undefined,
    error: run.error ?? undefined,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString(),
    ended_at: run.endedAt?.toISOString(),
  }
}
