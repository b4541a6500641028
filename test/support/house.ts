import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMoneySimulator } from '../../simulator/money.ts'
import { startModelSimulator, type SimulatorOptions } from '../../simulator/models/server.ts'
import { applyCommands } from '../../src/billing/ledger-store.ts'
import { parseCredits } from '../../src/billing/money.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { openServer } from '../../src/db/server.ts'
import { buildHouse } from '../../src/house.ts'
import { systemClock, type Clock } from '../../src/lib/clock.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog, type Log } from '../../src/lib/log.ts'
import { snippe } from '../../src/payments/snippe.ts'
import { readUpstreams } from '../../src/upstream/upstreams-file.ts'
import { client, freshEmail, PASSWORD } from './accounts.ts'
import { freshEmbedded, freshServerDatabase } from './databases.ts'

type HouseOptions = {
  /** Settings, as environment variables. */
  env?: Record<string, string>
  engine?: 'embedded' | 'server'
  /** Another house on the same database: a second replica. */
  databaseUrl?: string
  simulator?: SimulatorOptions
  /** Members of the upstream's entry, such as short time-outs. */
  upstream?: Record<string, unknown>
  log?: Log
  clock?: Clock
}

const MASTER_KEY = 'a master key for tests, long enough'
const KEYS = { apiKey: 'snp_test', webhookSecret: 'whsec_test' }

/** The whole house on a free port, with the outside world simulated over HTTP. */
export async function startHouse(options: HouseOptions = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'mlango-house-'))
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_RPM: '100000',
    RATE_LIMIT_RPM: '1000000',
    RATE_LIMIT_JWT_RPM: '1000000',
    DRAIN_SECONDS: '1',
    ...options.env,
  })
  const log = options.log ?? silentLog
  const models = await startModelSimulator({ faults: true, ...options.simulator })
  const money = await startMoneySimulator({
    snippe: KEYS,
    clickpesa: { clientId: 'cp', apiKey: 'cp_test', checksumKey: 'cp_sum' },
    delays: { normalMs: 100, fastMs: 30, retryMs: 50 },
  })
  const db = await openDb(options, log)
  let url = ''
  const house = await buildHouse({
    config,
    db,
    masterKey: MASTER_KEY,
    outside: {
      upstreams: readUpstreams(
        { upstreams: [upstreamEntry(models.url, options.upstream)] },
        {
          KEY: models.apiKey,
        },
      ),
      payments: [
        snippe({
          baseUrl: money.url,
          ...KEYS,
          callbackUrl: () => `${url}/v1/payments/callbacks/snippe`,
          fallbackEmail: 'customer@example.com',
        }),
      ],
      simulated: { upstreams: true, payments: true },
      close: async () => {},
    },
    log,
    clock: options.clock ?? systemClock,
  })
  await house.server.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(house.server.server.address() as AddressInfo).port}`
  house.begin()
  const call = client(url)
  const signUp = () => signUpAs(call, dataDir, freshEmail())
  return {
    url,
    house,
    db,
    models,
    money,
    call,
    dataDir,
    signUp,
    /** A verified account with exactly these credits, a session and an API key. */
    async customer(credits = '100') {
      const { token, accountId } = await signUp()
      await setBalance(db, accountId, credits)
      const made = await call('POST /v1/api-keys', { token, body: { name: 'test' } })
      return { token, accountId, key: made.body.data.key as string }
    },
    async close() {
      await house.end()
      await Promise.all([models.close(), money.close(), db.close()])
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

type Call = ReturnType<typeof client>

/** By the front door: the code is read from the message that was sent. */
async function signUpAs(call: Call, dataDir: string, email: string) {
  const who = { full_name: 'Asha Juma', email, password: PASSWORD }
  await call('POST /v1/auth/register', { body: who })
  const code = await codeSentTo(dataDir, email)
  const answer = await call('POST /v1/auth/otp/verify', {
    body: { identifier: email, channel: 'email', purpose: 'verify_email', code },
  })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  const { access_token: token, user } = answer.body.data
  return { email, token: token as string, accountId: user.id as string }
}

async function codeSentTo(dataDir: string, to: string): Promise<string> {
  const folder = join(dataDir, 'outbox')
  for (let tries = 0; tries < 200; tries++) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names
      .filter((one) => one.endsWith('.json'))
      .sort()
      .reverse()) {
      const message = JSON.parse(await readFile(join(folder, name), 'utf8'))
      const code = /\b\d{6}\b/.exec(message.text)?.[0]
      if (message.to === to && code !== undefined) return code
    }
    await sleep(25)
  }
  throw new Error(`no code was sent to ${to}`)
}

function upstreamEntry(url: string, more: Record<string, unknown> = {}) {
  return { name: 'sim', type: 'openrouter', base_url: url, api_key_env: 'KEY', sync: true, ...more }
}

async function openDb(options: HouseOptions, log: Log): Promise<Db> {
  const { engine = 'embedded', databaseUrl } = options
  if (engine === 'embedded' && databaseUrl === undefined) return freshEmbedded()
  return openServer({ url: databaseUrl ?? (await freshServerDatabase()), poolSize: 10, log })
}

async function setBalance(db: Db, accountId: string, credits: string): Promise<void> {
  const [row] = await db.query<{ balance_micro: bigint }>(
    'select balance_micro from ledger_accounts where account_id = $1',
    [accountId],
  )
  const amountMicro = parseCredits(credits) - (row?.balance_micro ?? 0n)
  if (amountMicro === 0n) return
  const entry = { id: uuidv7(), type: 'adjustment', key: `test:${uuidv7()}`, description: 'test' }
  await db.begin((tx) =>
    applyCommands(tx, [{ kind: 'adjust', accountId, amountMicro, entry: entry as never }]),
  )
}
