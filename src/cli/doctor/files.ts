import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

const PART = 'files'

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
  return troubled ? found : [good(PART, 'Only their owner can read what is secret.'), ...found]
}

async function folderTroubles(folder: string): Promise<Diagnosis[]> {
  const mode = await modeOf(folder)
  if (mode === undefined)
    return [note(PART, `${folder} is not there yet: the first start makes it.`)]
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return []
  } catch {
    const cure = 'Make the user who runs the service its owner (chown -R).'
    return [bad(PART, `${folder} cannot be read and written.`, cure)]
  }
}

async function secretTroubles(file: string): Promise<Diagnosis[]> {
  const mode = await modeOf(file)
  if (mode === undefined || (mode & 0o077) === 0) return []
  return [bad(PART, `${file} can be read by other users (${octal(mode)}).`, `chmod 600 ${file}`)]
}

/** It holds no keys, but whoever can write it decides where prompts and keys are sent. */
async function othersWrite(file: string): Promise<Diagnosis[]> {
  const mode = await modeOf(file)
  if (mode === undefined || (mode & 0o022) === 0) return []
  return [
    bad(PART, `${file} can be changed by other users (${octal(mode)}).`, `chmod go-w ${file}`),
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
