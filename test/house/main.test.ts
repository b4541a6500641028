import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../db/local/support.ts'
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
  for (const word of ['/docs', folder, 'power cut', 'simulated', 'curl http'])
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

test('a start that fails behind the database stops the database too', async () => {
  const folder = join(freshFolder(), 'data')
  const start = startService({ DATA_DIR: folder, UPSTREAMS_FILE: join(folder, 'none.json') })
  await assert.rejects(start, /UPSTREAMS_FILE: .*no such file/)
  assert.throws(() => readFileSync(join(folder, 'postgres/postmaster.pid')), { code: 'ENOENT' })
})
