import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openEmbedded } from '../../src/db/embedded.ts'
import { lockFolder } from '../../src/db/folder-lock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runChild } from '../support/child.ts'

const folder = mkdtempSync(join(tmpdir(), 'mlango-lock-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const child = () => runChild('test/db/children/hold-folder.ts', [folder])

test('a folder has one owner, and a second one is told so in a sentence', async () => {
  const lock = await lockFolder(folder)
  await assert.rejects(lockFolder(folder), /is in use by another process .* DATABASE_URL/)
  const other = child()
  assert.match(await other.line(), /in use by another process/)
  await other.ended
  await lock.release()
  const again = await lockFolder(folder)
  await again.release()
})

test('another process keeps us out while it lives, and not after it was killed', async () => {
  const other = child()
  assert.equal(await other.line(), 'locked')
  await assert.rejects(lockFolder(folder), /in use/)
  other.kill('SIGKILL')
  await other.ended
  assert(existsSync(join(folder, 'lock')))
  await (await lockFolder(folder)).release()
})

test('a process id that is used again is not taken for the owner', async () => {
  writeFileSync(join(folder, 'lock'), `${process.ppid} 1`)
  await (await lockFolder(folder)).release()
  writeFileSync(join(folder, 'lock'), `${process.pid} 1`)
  await (await lockFolder(folder)).release()
  writeFileSync(join(folder, 'lock'), '')
  await (await lockFolder(folder)).release()
})

test('of many that find a dead lock, one gets it', async () => {
  writeFileSync(join(folder, 'lock'), '999999999 1')
  const others = Array.from({ length: 4 }, child)
  const lines = await Promise.all(others.map((other) => other.line()))
  assert.equal(lines.filter((line) => line === 'locked').length, 1)
  for (const other of others) other.kill('SIGKILL')
  await Promise.all(others.map((other) => other.ended))
})

test('a first start that was killed half-way begins again', async () => {
  const home = join(folder, 'half')
  mkdirSync(join(home, 'db'), { recursive: true })
  writeFileSync(join(home, 'db', 'PG_VERSION'), '18')
  writeFileSync(join(home, 'creating'), '')
  const db = await openEmbedded({ folder: home, log: silentLog })
  assert.deepEqual(await db.query('select 1 as one'), [{ one: 1 }])
  await db.close()
  assert(!existsSync(join(home, 'creating')))
  assert(!existsSync(join(home, 'lock')))
})
