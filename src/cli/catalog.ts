import {
  approveWaiting,
  modalityAct,
  modelAct,
  readMargin,
  syncByHand,
} from '../operators/catalog-actions.ts'
import { findCatalogModel, readPastPrices, type PastPrice } from '../catalog/history-store.ts'
import { readPending, type PendingPrice } from '../catalog/pending-store.ts'
import { describeMove } from '../catalog/price-move.ts'
import type { SyncParts } from '../catalog/sync.ts'
import type { Db } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'
import { doOrAsk } from '../operators/requests.ts'
import { command, done, failed, FLAG, tableRow, verb, type CommandResult } from './command.ts'

const HELP = `catalog diff             list prices that vanished or changed too much and wait for approval
catalog approve <id>     accept the waiting price of a model (--all: of every model)
catalog sync             read the model lists of all upstreams now (--believe: also a list that shrank)
catalog disable <id>     disable a model; catalog enable <id> enables it again
catalog margin <id> <margin|none>
                         set the margin of a model in place of PRICE_MARGIN
                         (--modality: of all that produce this, such as text or image)
catalog prices <id>      list the prices that a model has had, newest first
                         all that change something: [--reason <text>] [--operator <name>]`

const MOST_SHOWN = 200

type Parts = { db: Db; catalogSync: SyncParts }

/** Prices that wait for approval, margins, and models that the operator disables. */
export const catalogCommand = command<Parts>('catalog', HELP, {
  diff: verb([], {}, async ({ db }: Parts) => {
    const waiting = await readPending(db)
    if (waiting.length === 0) return done('No price is waiting for approval.')
    return done(...waiting.flatMap(pendingLines))
  }),
  approve: verb(['id?'], { all: FLAG }, async ({ db }: Parts, given) => {
    const { id, all = false, actor, reason } = given
    if ((id === '') !== all) return 'usage'
    const approved = await approveWaiting(db, actor, { ids: all ? undefined : [id], reason })
    if (approved.length > 0) {
      return done(...approved.map((price) => `${price.id} at ${price.upstream}: approved`))
    }
    return all ? done('No price is waiting.') : failed(`No price of ${id} is waiting.`)
  }),
  sync: verb([], { believe: FLAG }, async ({ catalogSync }: Parts, given) => {
    const { believe = false, actor, reason } = given
    const report = await syncByHand(catalogSync, actor, { believe, reason })
    if (report.state === 'skipped') return failed('Another process is reading the lists right now.')
    const { added, priced, gone, waiting } = report
    return (report.failed.length === 0 ? done : failed)(
      `${added} new models, ${priced} new prices, ${gone} gone, ${waiting} prices waiting for approval.`,
      ...report.failed.map(
        (name) => `The list of ${name} could not be used; its last good list stays in use.`,
      ),
    )
  }),
  disable: setEnabled(false),
  enable: setEnabled(true),
  margin: verb(['id', 'margin'], { modality: FLAG }, async ({ catalogSync }: Parts, given) => {
    const { id, modality: ofModality, actor, reason } = given
    const margin = readMargin(given.margin) ?? null
    if (margin === null && given.margin !== 'none') return 'usage'
    const asked = { targetId: id, wish: { margin }, reason, key: uuidv7() }
    const found = ofModality
      ? await doOrAsk(catalogSync.db, actor, modalityAct(catalogSync), asked)
      : await doOrAsk(catalogSync.db, actor, modelAct(catalogSync), asked)
    if (!found) return ofModality ? failed(`No model produces ${id}.`) : noModel(id)
    return done(`The margin of ${id} is ${margin ?? 'no longer its own'}.`)
  }),
  prices: verb(['id'], {}, async ({ db }: Parts, { id }) => {
    const model = await findCatalogModel(db, id)
    if (model === undefined) return noModel(id)
    const page = { modelId: model.resourceId, before: undefined, limit: MOST_SHOWN }
    return done(...(await readPastPrices(db, page)).map(priceLine))
  }),
})

function setEnabled(enabled: boolean) {
  return verb(['id'], {}, async ({ catalogSync }: Parts, { id, actor, reason }) => {
    const asked = { targetId: id, wish: { enabled }, reason, key: uuidv7() }
    const found = await doOrAsk(catalogSync.db, actor, modelAct(catalogSync), asked)
    return found ? done(`${id} is ${enabled ? 'enabled' : 'disabled'}.`) : noModel(id)
  })
}

function noModel(id: string): CommandResult {
  return failed(`There is no model ${id}.`)
}

function pendingLines({ id, upstream, reason, noticedAt, old, next }: PendingPrice): string[] {
  return [
    `${id} at ${upstream}: ${reason}, seen ${noticedAt.toISOString()}`,
    ...describeMove(old, next).map((line) => `  ${line}`),
  ]
}

function priceLine(one: PastPrice): string {
  return tableRow(
    one.takenAt.toISOString(),
    one.upstream,
    one.operator === undefined ? one.reason : `${one.reason} by ${one.operator}`,
    `margin=${one.margin}`,
    `credits_per_usd=${one.creditsPerUsd}`,
    JSON.stringify(one.pricing),
    one.inForce ? 'IN FORCE' : '',
  )
}
