import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'

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
  if (!existsSync(file)) await makeKey(file)
  const key = (await readFile(file, 'utf8')).trim()
  if (key.length < 32) throw new Error('The file master.key in DATA_DIR is damaged.')
  return key
}

/** Written whole under another name first, so that no process ever reads half a key. */
async function makeKey(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  try {
    await link(draft, file)
  } catch (error) {
    // Another process was quicker this very moment: its key is the one.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
}
