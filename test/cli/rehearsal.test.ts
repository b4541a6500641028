import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../db/local/support.ts'
import { client, PASSWORD } from '../support/accounts.ts'
import { runMlango } from '../support/command.ts'
import { signUp } from '../support/customer.ts'
import { startService } from '../support/service.ts'

async function mlango(env: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, out, err } = await runMlango(env, ...args)
  assert.equal(code, 0, err)
  return out
}

test('a lost disk: backup under load, the machine dies, restore, audit, and customers go on', async () => {
  const DATA_DIR = join(freshFolder(), 'data')
  const service = await startService({ DATA_DIR, RATE_LIMIT_RPM: '1000000' })
  const call = client(service.url)
  const { token, email } = await signUp(service.url, DATA_DIR)
  const made = await call('POST /v1/api-keys', { token, body: { name: 'rehearsal' } })
  const key = made.body.data.key as string

  const load = startLoad(service.url, key)
  await load.reaches(5)
  const before = load.answered()
  const file = join(freshFolder(), 'mlango.backup')
  await mlango({ DATA_DIR }, 'backup', file)
  const copied = load.answered()
  await load.reaches(copied + 5)
  service.kill('SIGKILL')
  await load.end()
  await service.ended
  rmSync(DATA_DIR, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })

  const restored = join(freshFolder(), 'data')
  assert.match(
    await mlango({ DATA_DIR: restored }, 'restore', file, '--keys', 'keep'),
    /The books balance/,
  )
  const again = await startService({ DATA_DIR: restored })
  const ask = client(again.url)
  // The sessions of then have ended; their owners sign in again.
  assert.equal((await ask('GET /v1/me', { token })).status, 401)
  const body = { identifier: email, password: PASSWORD }
  const session = (await ask('POST /v1/auth/login', { body })).body.data
  const fresh = { token: session.access_token as string }
  const records = (await ask('GET /v1/activity?limit=1', fresh)).body.pagination.total as number
  assert.ok(records >= before, `${records} records of the ${before} answered before the backup`)
  assert.ok(records <= copied + CALLERS, `${records} records, ${copied} answered during it`)
  const { status } = await ask('POST /v1/chat/completions', { token: key, body: CHAT })
  assert.equal(status, 200)
  again.kill('SIGTERM')
  assert.equal(await again.ended, 0)
  assert.match(await mlango({ DATA_DIR: restored }, 'audit'), /The books balance/)
})

const CALLERS = 4
const CHAT = {
  model: 'sim/hekima-mini',
  max_tokens: 5,
  messages: [{ role: 'user', content: 'Habari ya asubuhi!' }],
}

/** Callers that ask one after the other until the service is gone. */
function startLoad(url: string, key: string) {
  let answered = 0
  const waiting: { count: number; reached: () => void }[] = []
  const caller = async () => {
    for (;;) {
      const { status } = await client(url)('POST /v1/chat/completions', { token: key, body: CHAT })
      assert.equal(status, 200)
      answered++
      for (const { count, reached } of waiting) if (answered >= count) reached()
    }
  }
  // Each ends with the error of a connection that is no more.
  const callers = Array.from({ length: CALLERS }, () =>
    caller().catch((error: unknown) => {
      if (error instanceof assert.AssertionError) throw error
    }),
  )
  return {
    answered: () => answered,
    reaches: (count: number) =>
      new Promise<void>((reached) => {
        if (answered >= count) reached()
        else waiting.push({ count, reached })
      }),
    end: () => Promise.all(callers),
  }
}
