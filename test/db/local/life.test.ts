import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../../../src/lib/log.ts'
import {
  allGone,
  ask,
  freshFolder,
  service,
  start,
  stateOf,
  reported,
  withData,
} from './support.ts'
import { eventually } from '../../support/eventually.ts'

test('a killed service takes its server along, and 20 starts at once after a kill all work', async () => {
  const dataDir = await withData()
  for (let round = 0; round < 20; round++) {
    const child = service(dataDir)
    const { url, trouble } = await reported(child)
    assert.equal(trouble, undefined, `round ${round}`)
    if (round === 0) await ask(url, 'create table rounds (n int)')
    await ask(url, `insert into rounds values (${round})`)
    child.kill('SIGKILL')
    // Not waited for: the next start may meet the dying.
  }
  const server = await start(dataDir)
  assert.deepEqual(await ask(server.url, 'select count(*)::int from rounds'), [{ count: 20 }])
  await server.stop()
  const last = service(dataDir)
  await reported(last)
  last.kill('SIGKILL')
  assert(await allGone(dataDir), 'the server outlived its service')
})

test('a zombie of a service does not block a start', { skip: !existsSync('/proc') }, async () => {
  const dataDir = await withData()
  // The shell starts the service and never asks how it ended, so that it stays a zombie.
  const shell = spawn(
    '/bin/sh',
    ['-c', '"$@" & echo $! >&2; exec sleep 60', 'sh', process.execPath].concat([
      'test/db/local/children/hold-server.ts',
      dataDir,
    ]),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [number] = (await once(shell.stderr, 'data')) as [Buffer]
  await once(shell.stdout, 'data')
  const pid = Number(String(number).trim())
  process.kill(pid, 'SIGKILL')
  while (stateOf(pid) !== 'Z') await sleep(5)
  const server = await start(dataDir)
  assert.equal(stateOf(pid), 'Z')
  await server.stop()
  shell.kill('SIGKILL')
})

test('a second service on the same folder is refused with a sentence', async () => {
  const dataDir = await withData()
  const server = await start(dataDir)
  await assert.rejects(start(dataDir), /is in use by another Mlango/)
  const second = await reported(service(dataDir))
  assert.match(second.trouble!, /is in use by another Mlango \(process \d+\)/)
  assert(second.trouble!.includes(dataDir) && second.trouble!.includes(String(process.pid)))
  assert.equal((await ask(server.url, 'select 1')).length, 1)
  await server.stop()
})

test('a server that dies alone is started again', async () => {
  const dataDir = await withData()
  const lines: string[] = []
  const log = { ...silentLog, error: (line: string) => void lines.push(line) }
  const server = await start(dataDir, { log })
  await ask(server.url, 'create table more as select 1 as n')
  for (const signal of ['SIGKILL', 'SIGQUIT', 'SIGINT'] as const) {
    const before = server.pid()
    process.kill(before, signal)
    while (server.pid() === before) await sleep(10)
    assert.deepEqual(await ask(server.url, 'select n from more'), [{ n: 1 }])
  }
  assert.equal(lines.length, 3)
  await server.stop()
  assert(await allGone(dataDir))
})

test('a server that was left running is found and taken over', async () => {
  const dataDir = await withData()
  const child = service(dataDir)
  const { url, pid } = await reported(child)
  await ask(url, 'create table more as select 1 as n')
  // Frozen, it can neither notice the end of its service nor hear a polite signal.
  process.kill(pid, 'SIGSTOP')
  child.kill('SIGKILL')
  await child.ended
  const thaw = setTimeout(() => process.kill(pid, 'SIGCONT'), 300)
  const server = await start(dataDir)
  clearTimeout(thaw)
  assert.notEqual(server.pid(), pid)
  assert.deepEqual(await ask(server.url, 'select n from more'), [{ n: 1 }])
  await server.stop()
})

test('a stale note of another process does not block a start, and that process is left alone', async () => {
  const dataDir = await withData()
  await (await start(dataDir)).stop()
  const stranger = spawn('sleep', ['60'])
  writeFileSync(
    join(dataDir, 'postgres/postmaster.pid'),
    `${stranger.pid}\n${dataDir}/postgres\n1\n5432\n/nowhere\n\n 1 1\nready   \n`,
  )
  const server = await start(dataDir)
  assert.equal(stranger.exitCode, null)
  await server.stop()
  stranger.kill()
})

test('a stale lock of the socket does not block a start', async () => {
  const dataDir = await withData()
  const stranger = spawn('sleep', ['60'])
  for (const text of [`${stranger.pid}\n${dataDir}/postgres\n1\n5432\n`, '']) {
    // As a killed server leaves it: its number is a zombie's, or a stranger's; or the power went.
    const child = service(dataDir)
    await reported(child)
    child.kill('SIGKILL')
    assert(await allGone(dataDir))
    writeFileSync(join(dataDir, 'run/.s.PGSQL.5432.lock'), text)
    const server = await start(dataDir)
    assert.equal((await ask(server.url, 'select 1')).length, 1)
    await server.stop()
  }
  assert.equal(stranger.exitCode, null)
  stranger.kill()
})

test('a first start that was killed half-way begins again', async () => {
  const dataDir = freshFolder()
  for (const delayMs of [120, 250, 400, 600]) {
    const child = service(dataDir)
    const draft = join(dataDir, 'postgres.new')
    while (!existsSync(draft) && !existsSync(join(dataDir, 'postgres'))) await sleep(5)
    await sleep(delayMs)
    child.kill('SIGKILL')
    await child.ended
  }
  mkdirSync(join(dataDir, 'postgres.new'), { recursive: true })
  writeFileSync(join(dataDir, 'postgres.new', 'PG_VERSION'), '18\n')
  const server = await start(dataDir)
  assert.match(readFileSync(join(server.folder, 'PG_VERSION'), 'utf8'), /^\d+/)
  await server.stop()
})

test('a statement under way does not hold up the stop', async () => {
  const dataDir = await withData()
  const server = await start(dataDir)
  const busy = assert.rejects(ask(server.url, 'select pg_sleep(60)'), /terminat/)
  const running = `select 1 from pg_stat_activity where query = 'select pg_sleep(60)'`
  await eventually('it runs', async () => (await ask(server.url, running)).length > 0)
  // Else it would last for the minute that the statement does, and end it without an error.
  await server.stop()
  await busy
})
