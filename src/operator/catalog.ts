import { parseArgs } from 'node:util'
import { commandActor } from '../administration/actor.ts'
import { approveWaiting, switchModel } from '../administration/catalog-acts.ts'
import { readPending, type PendingPrice } from '../catalog/pending-store.ts'
import { describeMove } from '../catalog/price-move.ts'
import { syncCatalog, type SyncParts } from '../catalog/sync.ts'
import type { Db } from '../db/db.ts'
import type { Print } from './print.ts'

type Parts = { db: Db; catalogSync: SyncParts; print: Print }

/** Prices that wait for approval, and models that the operator disables. */
export const catalogCommand = {
  name: 'catalog',
  help: [
    'catalog diff             list prices that vanished or changed too much and wait for approval',
    'catalog approve <id>     accept the waiting price of a model (--all: of every model)',
    'catalog sync             read the model lists of all upstreams now (--believe: also a list that shrank)',
    'catalog disable <id>     disable a model; catalog enable <id> enables it again',
  ].join('\n'),
  async run(args: string[], parts: Parts): Promise<number> {
    const { print } = parts
    const options = { all: { type: 'boolean' }, believe: { type: 'boolean' } } as const
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const [verb, id] = positionals
    if (verb === 'diff') return diff(parts.db, print)
    if (verb === 'sync') return sync(parts.catalogSync, values.believe ?? false, print)
    if (verb === 'approve' && (id !== undefined) !== (values.all ?? false)) {
      return approve(parts.db, id, print)
    }
    if ((verb === 'disable' || verb === 'enable') && id !== undefined) {
      return setDisabled(parts.db, id, verb === 'disable', print)
    }
    print(catalogCommand.help)
    return 2
  },
}

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

async function approve(db: Db, id: string | undefined, print: Print): Promise<number> {
  const ids = id === undefined ? undefined : [id]
  const approved = await approveWaiting(db, commandActor(undefined), { ids, reason: undefined })
  for (const price of approved) print(`${price.id} at ${price.upstream}: approved`)
  if (approved.length === 0) print(id ? `No price of ${id} is waiting.` : 'No price is waiting.')
  return approved.length > 0 || id === undefined ? 0 : 1
}

async function sync(parts: SyncParts, believe: boolean, print: Print): Promise<number> {
  const report = await syncCatalog(parts, { believe })
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

async function setDisabled(db: Db, id: string, disabled: boolean, print: Print): Promise<number> {
  const wanted = { id, enabled: !disabled, reason: undefined }
  const found = await switchModel(db, commandActor(undefined), wanted)
  print(found ? `${id} is ${disabled ? 'disabled' : 'enabled'}.` : `There is no model ${id}.`)
  return found ? 0 : 1
}
