import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, types, type Transaction } from '@electric-sql/pglite'
import type { Log } from '../lib/log.ts'
import type { Db, OpenTx, Row } from './db.ts'
import { lockFolder } from './folder-lock.ts'
import {
  assertOpen,
  assertOutside,
  closeAfter,
  inScope,
  laterTx,
  type TransactionScope,
} from './transaction.ts'

/** PostgreSQL inside this process, kept in one folder. */
export async function openEmbedded(options: { folder: string; log: Log }): Promise<Db> {
  const lock = await lockFolder(options.folder)
  try {
    const engine = await openFolder(options.folder)
    options.log.debug('The embedded database is open.', { engine: 'embedded' })
    return embeddedDb(engine, () => lock.release())
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** In memory: for tests, where every file wants a fresh database at once. */
export async function openInMemory(
  from: Blob | 'start' | 'empty' = 'start',
): Promise<Db & { dump(compression: 'none' | 'gzip'): Promise<Blob> }> {
  const loadDataDir = from === 'start' ? await startOfAll() : from
  const engine = await PGlite.create({
    parsers,
    ...(loadDataDir === 'empty' ? {} : { loadDataDir }),
  })
  const db = embeddedDb(engine, async () => {})
  return Object.assign(db, { dump: (how: 'none' | 'gzip') => engine.dumpDataDir(how) })
}

const parsers = {
  [types.INT8]: (text: string) => BigInt(text),
  [types.DATE]: (text: string) => text,
  [types.BYTEA]: (text: string) => Buffer.from(text.slice(2), 'hex'),
}

/** A first start that was killed half-way leaves its mark, and the next one begins again. */
async function openFolder(folder: string): Promise<PGlite> {
  const dataDir = join(folder, 'db')
  const creating = join(folder, 'creating')
  if (existsSync(creating)) await rm(dataDir, { recursive: true, force: true })
  const isNew = !existsSync(dataDir)
  if (isNew) {
    await writeFile(creating, 'The first start is under way.\n')
    await mkdir(dataDir, { recursive: true })
  }
  const engine = await PGlite.create({
    dataDir,
    parsers,
    ...(isNew ? { loadDataDir: await startOfAll() } : {}),
  })
  await rm(creating, { force: true })
  return engine
}

/** A database made beforehand by `bin/make-embedded-start.ts`: a second instead of five. */
async function startOfAll(): Promise<Blob> {
  return new Blob([await readFile(new URL('./embedded-start.tar.gz', import.meta.url))])
}

function embeddedDb(engine: PGlite, afterClose: () => Promise<void>): Db {
  const query = async <R extends Row>(sql: string, params: unknown[] = []) => {
    assertOutside(db)
    return (await engine.query<R>(sql, params)).rows
  }
  const db: Db = {
    engine: 'embedded',
    query,
    read: query,
    async script(sql) {
      assertOutside(db)
      await engine.exec(sql)
    },
    begin: (work) =>
      inScope(db, (scope) => engine.transaction((inner) => inTransaction(inner, scope, work))),
    async listen(channel, hear) {
      assertOutside(db)
      // The engine calls from within the transaction that notified; who hears stands outside it.
      const outside = AsyncLocalStorage.snapshot()
      await engine.listen(channel, (payload) => outside(hear, payload))
    },
    async close() {
      if (!engine.closed) await engine.close()
      await afterClose()
    },
  }
  return db
}

async function inTransaction<T>(
  inner: Transaction,
  scope: TransactionScope,
  work: (tx: OpenTx) => Promise<T>,
): Promise<T> {
  const later: Promise<unknown>[] = []
  try {
    return await closeAfter(scope, work(embeddedTx(inner, scope, later)))
  } finally {
    // Also when work failed: perhaps only because one of these had failed before.
    await Promise.all(later)
  }
}

function embeddedTx(
  inner: Transaction,
  scope: TransactionScope,
  later: Promise<unknown>[],
): OpenTx {
  const query = async <R extends Row>(sql: string, params: unknown[] = []) => {
    assertOpen(scope)
    return (await inner.query<R>(sql, params)).rows
  }
  const tx = {
    query,
    read: query,
    async script(sql: string) {
      assertOpen(scope)
      await inner.exec(sql)
    },
  }
  return { ...tx, later: laterTx(tx, scope, later) }
}
