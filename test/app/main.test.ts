import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../db/local/support.ts'
import { startShared } from '../support/replica.ts'
import { startService } from '../support/service.ts'

test('a first start without any setting: one screen, then a clean end', async () => {
  const folder = join(freshFolder(), 'data')
  const service = await startService({ DATA_DIR: folder })
  const screen = service.output.join('\n')
  assert.match(screen, /Mlango is running\./)
  for (const path of ['/healthz', '/v1/catalog']) {
    assert.equal((await fetch(`${service.url}${path}`)).status, 200)
  }
  await assert.rejects(startService({ DATA_DIR: folder }), (error: Error) => {
    assert.match(error.message, /Mlango cannot start\.\nThe data folder .* is in use by another/)
    assert.doesNotMatch(error.message, /\n +at /)
    return true
  })
  assert.equal(statSync(join(folder, 'postgres')).mode & 0o777, 0o700)
  service.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  const all = service.output.join('\n')
  for (const word of ['Console', '/docs', folder, 'power cut', 'simulated', 'curl http'])
    assert.ok(all.includes(word), word)
  assert.throws(() => readFileSync(join(folder, 'postgres/postmaster.pid')), { code: 'ENOENT' })
})

test('one Ctrl-C that arrives twice drains all the same', async () => {
  const service = await startService({ DATA_DIR: join(freshFolder(), 'data') })
  service.kill('SIGINT')
  service.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  assert.match(service.output.join('\n'), /The service has stopped\./)
})

test('an unsafe setting stops the start with its name', async () => {
  const start = startService({ DATABASE_URL: 'postgres://127.0.0.1/x' })
  await assert.rejects(start, /MASTER_KEY must be set/)
})

test('real models do not start with play money, and what was allowed is on the screen', async () => {
  const shared = await startShared()
  const { PAYMENT_PROVIDER, ALLOW_SIMULATED_PAYMENTS, ...settings } = shared.env
  const real = { ...settings, DATA_DIR: join(freshFolder(), 'data') }
  await assert.rejects(startService(real), /Mlango cannot start\.\nPAYMENT_PROVIDER must be set/)
  await assert.rejects(
    startService({ ...real, PAYMENT_PROVIDER }),
    /Mlango cannot start\.\nALLOW_SIMULATED_PAYMENTS must be true/,
  )
  const allowed = await startService({ ...real, PAYMENT_PROVIDER, ALLOW_SIMULATED_PAYMENTS })
  allowed.kill('SIGTERM')
  await allowed.ended
  assert.match(allowed.output.join('\n'), /Payments +SIMULATED, WITH REAL MODELS/)
  await shared.close()
})

test('a start that fails behind the database stops the database too', async () => {
  const folder = join(freshFolder(), 'data')
  const start = startService({
    DATA_DIR: folder,
    UPSTREAMS_FILE: join(folder, 'none.json'),
    PAYMENT_PROVIDER: 'simulator',
    ALLOW_SIMULATED_PAYMENTS: 'true',
  })
  await assert.rejects(start, /UPSTREAMS_FILE: .*no such file/)
  assert.throws(() => readFileSync(join(folder, 'postgres/postmaster.pid')), { code: 'ENOENT' })
})
