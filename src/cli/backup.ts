import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { commandActor, type Actor } from '../operators/actor.ts'
import { noteBackup } from '../operators/backup-actions.ts'
import type { Config } from '../config.ts'
import { backup } from '../db/backup/backup.ts'
import { restore } from '../db/backup/restore.ts'
import { useLocalServer } from '../db/local/join.ts'
import type { LocalOptions } from '../db/local/start.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/database.ts'
import type { Db } from '../db/db.ts'
import { auditCommand } from './audit.ts'
import type { Print } from './print.ts'
import { progressLine } from './progress.ts'

export type DataFolder = {
  config: Config
  local: LocalOptions
  /** Where the progress is shown. */
  screen: { isTTY?: boolean; write(text: string): unknown }
}

type Parts = DataFolder & { print: Print }

const BACKUP_HELP = `backup <file>         copy the database of DATA_DIR and its master key into one file, also
                      while the service works (--force: replace the file; --operator <name>)`
const RESTORE_HELP = `restore <file>        bring such a copy into an empty DATA_DIR, and audit it`

/** `npm run mlango -- backup FILE`. */
export const backupCommand = {
  name: 'backup',
  help: BACKUP_HELP,
  async run(args: string[], parts: Parts): Promise<number> {
    const { config, local, screen, print } = parts
    const options = { force: { type: 'boolean' }, operator: { type: 'string' } } as const
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const [file] = positionals
    if (config.DATABASE_URL !== undefined) return refuse(print)
    if (file === undefined || positionals.length > 1) return usage(BACKUP_HELP, print)
    const server = await useLocalServer(local)
    const progress = progressLine('Copied', screen)
    try {
      const actor = commandActor(values.operator)
      await inDatabase(parts, server.url, (db) =>
        noteBackup(db, actor, { action: 'database.backup', file }),
      )
      const { masterKey } = await backup({
        url: server.url,
        folder: server.folder,
        file,
        replace: values.force,
        masterKeyFile: masterKeyFile(config),
        progress: progress.show,
      })
      progress.end()
      print(
        `The backup is in ${resolve(file)}. It lets its reader into every account: keep it safe.`,
      )
      if (masterKey !== 'included') print('MASTER_KEY is not in it: keep that one too.')
      return 0
    } finally {
      await server.stop()
    }
  },
}

/** `npm run mlango -- restore FILE`. The exit code is that of the audit. */
export const restoreCommand = {
  name: 'restore',
  help: RESTORE_HELP,
  async run(args: string[], parts: Parts): Promise<number> {
    const { config, local, screen, print } = parts
    const options = { operator: { type: 'string' } } as const
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const [file] = positionals
    if (config.DATABASE_URL !== undefined) return refuse(print)
    if (file === undefined || positionals.length > 1) return usage(RESTORE_HELP, print)
    const progress = progressLine('Read', screen)
    const { made, masterKey } = await restore({ ...local, file, progress: progress.show })
    progress.end()
    print(`The backup of ${made} has been restored into ${resolve(config.DATA_DIR)}.`)
    if (masterKey !== 'included') {
      print('The master key is not in it: set MASTER_KEY to the one that was used then.')
    }
    return auditRestored(parts, { file, made, actor: commandActor(values.operator) })
  },
}

async function auditRestored(
  parts: Parts,
  { actor, ...restored }: { file: string; made: string; actor: Actor },
): Promise<number> {
  const { local, print } = parts
  const server = await useLocalServer(local)
  try {
    return await inDatabase(parts, server.url, async (db) => {
      await migrate(db, local.log)
      await noteBackup(db, actor, { action: 'database.restore', ...restored })
      return auditCommand.run([], { db, print })
    })
  } finally {
    await server.stop()
  }
}

async function inDatabase<T>(
  { config, local }: Parts,
  url: string,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const db = openDatabase({ url, poolSize: config.DATABASE_POOL, log: local.log })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Undefined when the key is in MASTER_KEY, or when there has been no first start yet. */
function masterKeyFile(config: Config): string | undefined {
  const file = join(config.DATA_DIR, 'master.key')
  return config.MASTER_KEY === undefined && existsSync(file) ? file : undefined
}

function usage(help: string, print: Print): number {
  print(help)
  return 2
}

function refuse(print: Print): number {
  print(
    'DATABASE_URL names a server of your own, which has its own tools: pg_dump and pg_restore for one database, pg_basebackup for the whole server.',
  )
  return 1
}
