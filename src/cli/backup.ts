import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { noteBackup, secureRestored } from '../operators/backup-actions.ts'
import type { Config } from '../config.ts'
import { backup } from '../db/backup/backup.ts'
import { restore } from '../db/backup/restore.ts'
import { useLocalServer } from '../db/local/join.ts'
import type { LocalOptions } from '../db/local/start.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/database.ts'
import type { Db } from '../db/db.ts'
import { auditReport } from './audit.ts'
import { command, done, failed, FLAG, TEXT, verb, type Print } from './command.ts'
import { progressLine } from './progress.ts'
import { readKeysOption, restoredLines, WHICH_KEYS } from './restored.ts'

export type DataFolder = {
  config: Config
  local: LocalOptions
  /** Where the progress is shown. */
  screen: { isTTY?: boolean; write(text: string): unknown }
}

const BACKUP_HELP = `backup <file>         copy the database of DATA_DIR and its master key into one file, also
                      while the service works (--force: replace the file; --operator <name>)`
const RESTORE_HELP = `restore <file> --keys keep|revoke
                      bring such a copy into an empty DATA_DIR, end all sessions, keep or revoke
                      all API keys, and audit it (--operator <name>)`

/** `npm run mlango -- backup FILE`. */
export const backupCommand = command<DataFolder>(
  'backup',
  BACKUP_HELP,
  verb(['file'], { force: FLAG }, async (parts: DataFolder, { file, force, actor }) => {
    const { config, local, screen } = parts
    if (config.DATABASE_URL !== undefined) return OWN_SERVER
    const server = await useLocalServer(local)
    const progress = progressLine('Copied', screen)
    try {
      await inDatabase(parts, server.url, (db) => noteBackup(db, actor, file))
      const { masterKey } = await backup({
        url: server.url,
        folder: server.folder,
        file,
        replace: force,
        masterKeyFile: masterKeyFile(config),
        progress: progress.show,
      })
      progress.end()
      return done(
        `The backup is in ${resolve(file)}. It lets its reader into every account: keep it safe.`,
        ...(masterKey === 'included' ? [] : ['MASTER_KEY is not in it: keep that one too.']),
      )
    } finally {
      await server.stop()
    }
  }),
)

/** `npm run mlango -- restore FILE --keys …`. The exit code is that of the audit. */
export const restoreCommand = command<DataFolder & { print: Print }>(
  'restore',
  RESTORE_HELP,
  verb(['file'], { keys: TEXT }, async (parts: DataFolder & { print: Print }, given) => {
    const { config, local, screen, print } = parts
    if (config.DATABASE_URL !== undefined) return OWN_SERVER
    const { file, actor } = given
    const keys = readKeysOption(given.keys)
    if (keys === undefined) return WHICH_KEYS
    const progress = progressLine('Read', screen)
    const { made, masterKey } = await restore({ ...local, file, progress: progress.show })
    progress.end()
    print(`The backup of ${made} has been restored into ${resolve(config.DATA_DIR)}.`)
    if (masterKey !== 'included') {
      print('The master key is not in it: set MASTER_KEY to the one that was used then.')
    }
    const server = await useLocalServer(local)
    try {
      return await inDatabase(parts, server.url, async (db) => {
        await migrate(db, local.log)
        const restored = await secureRestored(db, actor, { keys, file, made })
        for (const line of restoredLines(restored, keys)) print(line)
        return auditReport(db)
      })
    } finally {
      await server.stop()
    }
  }),
)

const OWN_SERVER = failed(
  'DATABASE_URL names a server of your own, which has its own tools: pg_dump and pg_restore for one database, pg_basebackup for the whole server. After a restore: npm run mlango -- restored --keys keep|revoke',
)

async function inDatabase<T>(
  { config, local }: DataFolder,
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
