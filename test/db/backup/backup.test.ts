import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Client } from 'pg'
import { backup } from '../../../src/db/backup/backup.ts'
import { restore } from '../../../src/db/backup/restore.ts'
import { tarHeader, tarPadding } from '../../../src/db/backup/tar.ts'
import { ask, freshFolder, start, withData } from '../local/support.ts'

test('a backup under load is whole: every transaction before it, none by halves', async () => {
  const dataDir = freshFolder()
  const server = await start(dataDir)
  await ask(
    server.url,
    `create table accounts (id int primary key, balance bigint, filler text);
     insert into accounts select n, 1000, repeat(md5(n::text), 30) from generate_series(1, 5000) n;
     create table entries (id bigserial primary key, account int, amount bigint, note text)`,
  )
  writeFileSync(join(dataDir, 'master.key'), 'the key of this service, of 32 letters or more\n')
  const load = moveMoney(server.url)
  await sleep(300)
  const before = load.committed()
  const file = join(freshFolder(), 'b.tar.gz')
  const seen: number[] = []
  const about = await backup({
    url: server.url,
    folder: server.folder,
    file,
    masterKeyFile: join(dataDir, 'master.key'),
    progress: (done, total) => seen.push(done / total),
  })
  assert(load.committed() > before, 'the load went on')
  await load.stop()
  await server.stop()
  assert.equal(about.masterKey, 'included')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert(seen.length > 10 && seen.at(-1)! >= 0.9 && seen.every((part) => part <= 1))
  assert.equal(spawnSync('tar', ['tzf', file]).status ?? 0, 0)

  const other = join(freshFolder(), 'other')
  await restore({ dataDir: other, file })
  assert.equal(
    readFileSync(join(other, 'master.key'), 'utf8'),
    readFileSync(join(dataDir, 'master.key'), 'utf8'),
  )
  const restored = await start(other)
  const [row] = await ask<{ moved: number; total: string; odd: number; slots: number }>(
    restored.url,
    `select (select count(*) / 2 from entries)::int as moved, sum(balance) as total,
       (select count(*) from pg_replication_slots)::int as slots,
       (select count(*) from accounts a where balance <> 1000 + coalesce(
         (select sum(amount) from entries where account = a.id), 0))::int as odd from accounts`,
  )
  assert(row!.moved >= before, `${row!.moved} of ${before}`)
  assert.deepEqual([row!.total, row!.odd, row!.slots], ['5000000', 0, 0])
  await ask(restored.url, `insert into entries (account, amount) values (1, 1)`)
  await restored.stop()
  await (await start(other)).stop()
})

/** Two entries and two balances in each transaction. */
function moveMoney(url: string) {
  let committed = 0
  const stopping = new AbortController()
  const one = async (seed: number) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    for (let n = seed; !stopping.signal.aborted; n += 7) {
      const [from, to] = [(n * 31) % 5000, (n * 17 + 1) % 5000].sort((a, b) => a - b)
      if (from === to) continue
      await client.query(`begin;
        update accounts set balance = balance - 5 where id = ${from! + 1};
        update accounts set balance = balance + 5 where id = ${to! + 1};
        insert into entries (account, amount, note) values (${from! + 1}, -5, repeat('x', 500)), (${to! + 1}, 5, '');
        commit`)
      committed += 1
    }
    await client.end()
  }
  const running = Promise.all([1, 2, 3].map(one))
  return {
    committed: () => committed,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

test('a restore refuses what is cut off, changed, foreign, of another version, or has a place taken', async () => {
  const dataDir = await withData()
  const server = await start(dataDir)
  const folder = freshFolder()
  const file = join(folder, 'good')
  await backup({ url: server.url, folder: server.folder, file })
  await assert.rejects(backup({ url: server.url, folder: server.folder, file }), /there already/)
  await assert.rejects(restore({ dataDir, file }), /in use by another Mlango/)
  await server.stop()
  await assert.rejects(restore({ dataDir, file }), /is not empty \(postgres\)/)

  const good = readFileSync(file)
  const plain = gunzipSync(good)
  const changed = Buffer.from(plain)
  changed[plain.length >> 1]! ^= 1
  const wrong: [string, Buffer, RegExp][] = [
    ['cut', good.subarray(0, good.length >> 1), /cut off or damaged/],
    ['cut-early', good.subarray(0, 100), /not a backup|cut off/],
    ['changed', gzipSync(changed, { level: 1 }), /cut off or damaged/],
    ['foreign', Buffer.from('hello'), /is not a backup/],
    ['empty', Buffer.alloc(0), /is not a backup/],
    ['foreign-tar', gzipSync(entry('postgres/PG_VERSION', '18')), /is not a backup/],
    ['older', gzipSync(Buffer.concat([about('9'), TAIL])), /made by PostgreSQL 9/],
    [
      'up',
      gzipSync(Buffer.concat([about('18'), entry('postgres/../../evil', 'x'), TAIL])),
      /is not a backup/,
    ],
    [
      'root',
      gzipSync(Buffer.concat([about('18'), entry('/etc/evil', 'x'), TAIL])),
      /is not a backup/,
    ],
    ['beside', gzipSync(Buffer.concat([about('18'), entry('evil', 'x'), TAIL])), /is not a backup/],
  ]
  const target = freshFolder()
  for (const [name, bytes, expected] of wrong) {
    writeFileSync(join(folder, name), bytes)
    await assert.rejects(restore({ dataDir: target, file: join(folder, name) }), expected, name)
    assert.deepEqual(names(target), [], name)
  }
  await assert.rejects(restore({ dataDir: target, file: join(folder, 'none') }), /There is no file/)
  assert(!existsSync(join(target, '../evil')))

  // A restore that was killed half-way does not turn into an empty database, and can be repeated.
  mkdirSync(join(target, 'postgres.restoring'))
  await assert.rejects(start(target), /was not finished. Run it again/)
  await restore({ dataDir: target, file })
  const restored = await start(target)
  assert.deepEqual(await ask(restored.url, 'select answer from kept'), [{ answer: 42 }])
  await restored.stop()
})

const TAIL = Buffer.alloc(1024)

function names(dataDir: string): string[] {
  return readdirSync(dataDir).filter((name) => !/^(lock|lock\.owner|lib)$/.test(name))
}

function entry(name: string, content: string): Buffer {
  const bytes = Buffer.from(content)
  const header = tarHeader({ name, size: bytes.length, kind: 'file' })
  return Buffer.concat([header, bytes, tarPadding(bytes.length)])
}

function about(major: string): Buffer {
  const text = { format: 'mlango-backup-1', made: '', major, masterKey: 'kept elsewhere' }
  return entry('mlango-backup.json', JSON.stringify(text))
}
