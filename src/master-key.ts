import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'

/**
 * The root of every other key. Without MASTER_KEY one is made at the first start and kept in the
 * data folder, readable by its owner only; losing it ends sessions and authenticator enrolments.
 */
export async function loadMasterKey(
  config: Pick<Config, 'MASTER_KEY' | 'DATA_DIR'>,
): Promise<string> {
  if (config.MASTER_KEY !== undefined) return config.MASTER_KEY
  await mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 })
  const file = join(config.DATA_DIR, 'master.key')
  try {
    await writeFile(file, randomBytes(32).toString('base64url') + '\n', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    // It is there already: made by an earlier start, or this moment by another process.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const key = (await readFile(file, 'utf8')).trim()
  if (key.length < 32) throw new Error('The file master.key in DATA_DIR is damaged.')
  return key
}
