import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { generateSource } from 'oazapfts'
import type { OpenApi } from '../../../src/http/docs/openapi-document.ts'

type Caller = { url: string; key: string; token: string }

const ROOT = join(import.meta.dirname, '../../..')

/** Generates a client as a customer would, compiles a use of it strictly, and runs that. */
export async function useGeneratedClient(document: OpenApi, caller: Caller): Promise<unknown> {
  // Inside the project, so that its imports are found.
  const folder = await mkdtemp(join(ROOT, 'node_modules/.generated-client-'))
  try {
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document))
    await writeFile(join(folder, 'client.ts'), await generateSource(join(folder, 'openapi.json')))
    await writeFile(join(folder, 'use.ts'), USE)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(STRICT))
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
      (error: { stdout?: string }) => Promise.reject(new Error(error.stdout)),
    )
    const { use } = await import(pathToFileURL(join(folder, 'use.js')).href)
    return await (use as (caller: Caller) => Promise<unknown>)(caller)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const STRICT = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: false,
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
  },
  files: ['client.ts', 'use.ts'],
}

/** Reads members that are there only if the types say so. */
const USE = `
import * as api from './client.js'

export async function use({ url, key, token }: { url: string; key: string; token: string }) {
  const withKey = { baseUrl: url, headers: { authorization: 'Bearer ' + key } }
  const withToken = { baseUrl: url, headers: { authorization: 'Bearer ' + token } }
  const models = await api.getV1Models({ limit: 1 }, withKey)
  if (models.status !== 200) throw new Error('models')
  const id: string = models.data.data[0]!.id
  const messages = [{ role: 'user', content: 'Habari!' }]
  const good = await api.postV1ChatCompletions({ model: 'sim/hekima', messages }, {}, withKey)
  if (good.status !== 200) throw new Error('chat')
  const bad = await api.postV1ChatCompletions({ model: 'sim/none', messages }, {}, withKey)
  if (bad.status !== 404) throw new Error('absent')
  const workspaces = await api.getV1Workspaces({}, withToken)
  if (workspaces.status !== 200) throw new Error('workspaces')
  const balance = await api.getV1BillingBalance(withToken)
  if (balance.status !== 200) throw new Error('balance')
  const available: number = balance.data.data.available_credits
  return {
    firstModel: typeof id,
    answer: good.data.object,
    refused: bad.data.error.code,
    workspaces: workspaces.data.data.map((one) => one.slug),
    balance: typeof available,
  }
}
`
