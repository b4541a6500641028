import { parseArgs } from 'node:util'
import { commandActor, type Actor } from '../operators/actor.ts'
import {
  approveWaiting,
  changeMargin,
  changeModel,
  readMargin,
  syncByHand,
} from '../operators/catalog-actions.ts'
import { findCatalogModel, readPastPrices } from '../catalog/history-store.ts'
import { readPending, type PendingPrice } from '../catalog/pending-store.ts'
import { describeMove } from '../catalog/price-move.ts'
import type { SyncParts } from '../catalog/sync.ts'
import type { Db } from '../db/db.ts'
import type { Print } from './print.ts'

type Parts = { db: Db; catalogSync: SyncParts; print: Print }

/** Prices that wait for approval, margins, and models that the operator disables. */
export const catalogCommand = {
  name: 'catalog',
  help: [
    'catalog diff             list prices that vanished or changed too much and wait for approval',
    'catalog approve <id>     accept the waiting price of a model (--all: of every model)',
    'catalog sync             read the model lists of all upstreams now (--believe: also a list that shrank)',
    'catalog disable <id>     disable a model; catalog enable <id> enables it again',
    'catalog margin <id> <margin|none>',
    '                         set the margin of a model in place of PRICE_MARGIN',
    '                         (--modality: of all that produce this, such as text or image)',
    'catalog prices <id>      list the prices that a model has had, newest first',
    '                         all that change something: [--reason <text>] [--operator <name>]',
  ].join('\n'),
  async run(args: string[], parts: Parts): Promise<number> {
    const { print } = parts
    const flag = { type: 'boolean', default: false } as const
    const text = { type: 'string' } as const
    const options = { all: flag, believe: flag, modality: flag, reason: text, operator: text }
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const [verb, id, margin] = positionals
    const by = { actor: commandActor(values.operator), reason: values.reason }
    if (verb === 'diff') return diff(parts.db, print)
    if (verb === 'sync') return sync(parts, by, values.believe)
    if (verb === 'approve' && (id !== undefined) !== values.all) return approve(parts, by, id)
    if (verb === 'prices' && id !== undefined) return prices(parts.db, id, print)
    if ((verb === 'disable' || verb === 'enable') && id !== undefined) {
      return setDisabled(parts, by, id, verb === 'disable')
    }
    if (verb === 'margin' && id !== undefined && isMargin(margin)) {
      const wish = { name: id, margin: readMargin(margin) ?? null }
      return setMargin(parts, by, { ...wish, ofModality: values.modality })
    }
    print(catalogCommand.help)
    return 2
  },
}

/** Who does it, and why. */
type By = { actor: Actor; reason: string | undefined }

async function diff(db: Db, print: Print): Promise<number> {
  const waiting = await readPending(db)
  if (waiting.length === 0) print('No price is waiting for approval.')
  for (const price of waiting) show(price, print)
  return 0
}

function show({ id, upstream, reason, noticedAt, old, next }: PendingPrice, print: Print): void {
  print(`${id} at ${upstream}: ${reason}, seen ${noticedAt.toISOString()}`)
  for (const line of describeMove(old, next)) print(`  ${line}`)
}

async function approve({ db, print }: Parts, by: By, id: string | undefined): Promise<number> {
  const ids = id === undefined ? undefined : [id]
  const approved = await approveWaiting(db, by.actor, { ids, reason: by.reason })
  for (const price of approved) print(`${price.id} at ${price.upstream}: approved`)
  if (approved.length === 0) print(id ? `No price of ${id} is waiting.` : 'No price is waiting.')
  return approved.length > 0 || id === undefined ? 0 : 1
}

async function sync({ catalogSync, print }: Parts, by: By, believe: boolean): Promise<number> {
  const report = await syncByHand(catalogSync, by.actor, { believe, reason: by.reason })
  if (report.state === 'skipped') {
    print('Another process is reading the lists right now.')
    return 1
  }
  const { added, priced, gone, waiting, failed } = report
  print(
    `${added} new models, ${priced} new prices, ${gone} gone, ${waiting} prices waiting for approval.`,
  )
  for (const upstream of failed)
    print(`The list of ${upstream} could not be used; its last good list stays in use.`)
  return failed.length > 0 ? 1 : 0
}

async function setDisabled(
  { catalogSync, print }: Parts,
  { actor, reason }: By,
  id: string,
  disabled: boolean,
): Promise<number> {
  const found = await changeModel(catalogSync, actor, { id, enabled: !disabled, reason })
  print(found ? `${id} is ${disabled ? 'disabled' : 'enabled'}.` : `There is no model ${id}.`)
  return found ? 0 : 1
}

function isMargin(text: string | undefined): text is string {
  return text === 'none' || readMargin(text) !== undefined
}

async function setMargin(
  { catalogSync, print }: Parts,
  { actor, reason }: By,
  wish: { name: string; margin: string | null; ofModality: boolean },
): Promise<number> {
  const { name, margin, ofModality } = wish
  const found = ofModality
    ? await changeMargin(catalogSync, actor, { modality: name, margin, reason })
    : await changeModel(catalogSync, actor, { id: name, margin, reason })
  const none = ofModality ? `No model produces ${name}.` : `There is no model ${name}.`
  print(found ? `The margin of ${name} is ${margin ?? 'no longer its own'}.` : none)
  return found ? 0 : 1
}

const MOST_SHOWN = 200

async function prices(db: Db, id: string, print: Print): Promise<number> {
  const model = await findCatalogModel(db, id)
  if (model === undefined) {
    print(`There is no model ${id}.`)
    return 1
  }
  const page = { modelId: model.resourceId, before: undefined, limit: MOST_SHOWN }
  for (const one of await readPastPrices(db, page)) {
    const columns = [
      one.takenAt.toISOString(),
      one.upstream,
      one.operator === undefined ? one.reason : `${one.reason} by ${one.operator}`,
      `margin=${one.margin}`,
      `credits_per_usd=${one.creditsPerUsd}`,
      JSON.stringify(one.pricing),
      ...(one.inForce ? ['IN FORCE'] : []),
    ]
    print(columns.join('  '))
  }
  return 0
}
