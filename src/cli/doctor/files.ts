import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

/** Settings that the service would refuse, sentence by sentence. */
export function refusedSettings(problems: string): Diagnosis[] {
  const cure = 'Correct it in .env or in the environment; docs/settings.md has every setting.'
  return problems.split('\n').map((problem) => bad('settings', problem, cure))
}

/** Settings with which the service starts, but which a public service should not have. */
export function examineSettings(config: Config): Diagnosis[] {
  return [good('settings', 'They are complete and fit together.'), ...publicSettings(config)]
}

function publicSettings(config: Config): Diagnosis[] {
  const found: Diagnosis[] = []
  if (config.PUBLIC_URL === undefined) {
    return [note('settings', 'PUBLIC_URL is not set: only this machine is served.')]
  }
  const isHttps = config.PUBLIC_URL.startsWith('https:')
  if (isHttps && !config.TRUST_PROXY) {
    const says = 'TRUST_PROXY is off: behind a proxy all callers share one address and its limits.'
    found.push(note('settings', says, 'Set TRUST_PROXY=on if your own proxy is in front.'))
  }
  if (config.SMTP_URL !== undefined && /@localhost>?$/.test(config.MAIL_FROM)) {
    found.push(
      bad('settings', 'MAIL_FROM is an address at localhost.', 'Set it to one of your domain.'),
    )
  }
  return found
}

export type FileQuestions = {
  dataDir: string
  /** Files that hold secrets or decide whom we pay, where they are. */
  envFile: string
  upstreamsFile: string | undefined
}

/** Who may read our secrets, and whether we can write where we must. */
export async function examineFiles(questions: FileQuestions): Promise<Diagnosis[]> {
  const { dataDir, envFile, upstreamsFile } = questions
  const found = [
    ...(await folderTroubles(dataDir)),
    ...(await secretTroubles(join(dataDir, 'master.key'))),
    ...(await secretTroubles(envFile)),
    ...(upstreamsFile === undefined ? [] : await othersWrite(upstreamsFile)),
  ]
  const troubled = found.some(({ state }) => state === 'bad')
  return troubled ? found : [good('files', 'Only their owner can read what is secret.'), ...found]
}

async function folderTroubles(folder: string): Promise<Diagnosis[]> {
  const mode = await modeOf(folder)
  if (mode === undefined)
    return [note('files', `${folder} is not there yet: the first start makes it.`)]
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return []
  } catch {
    const cure = 'Make the user who runs the service its owner (chown -R).'
    return [bad('files', `${folder} cannot be read and written.`, cure)]
  }
}

async function secretTroubles(file: string): Promise<Diagnosis[]> {
  const mode = await modeOf(file)
  if (mode === undefined || (mode & 0o077) === 0) return []
  return [bad('files', `${file} can be read by other users (${octal(mode)}).`, `chmod 600 ${file}`)]
}

/** It holds no keys, but whoever can write it decides where prompts and keys are sent. */
async function othersWrite(file: string): Promise<Diagnosis[]> {
  const mode = await modeOf(file)
  if (mode === undefined || (mode & 0o022) === 0) return []
  return [
    bad('files', `${file} can be changed by other users (${octal(mode)}).`, `chmod go-w ${file}`),
  ]
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}

const SCARCE_SHARE = 0.1
const SCARCE_BYTES = 5e9
const URGENT_BYTES = 1e9

/** Of a file system, in bytes. */
export type Room = { free: number; total: number }

/** How much room the data folder's file system has. */
export async function examineDisk(
  folder: string,
  measure: (folder: string) => Promise<Room> = roomOf,
): Promise<Diagnosis[]> {
  const { free, total } = await measure(folder)
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1)
  const says = `${gigabytes(free)} of ${gigabytes(total)} GB are free where DATA_DIR is.`
  const cure = 'Make room or a larger disk: a database on a full disk takes no more payments.'
  if (free < URGENT_BYTES) return [bad('disk', says, cure)]
  if (free < SCARCE_BYTES && free < total * SCARCE_SHARE) return [note('disk', says, cure)]
  return [good('disk', says)]
}

async function roomOf(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, total: blocks * bsize }
}
