import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCopied, walToCopy } from '../../../src/db/backup/backup-files.ts'
import { explain } from '../../../src/db/local/explain.ts'
import { parsePostmasterFile } from '../../../src/db/local/leftovers.ts'
import { chooseRunAs } from '../../../src/db/local/run-as.ts'
import { connectionsFor, initdbArguments, serverSettings } from '../../../src/db/local/settings.ts'
import { socketFolders } from '../../../src/db/local/socket-folder.ts'
import { readTarHeader, tarHeader } from '../../../src/db/backup/tar.ts'

test('who runs the server', () => {
  const passwd = 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\n'
  const withPostgres = `${passwd}postgres:x:101:104::/var/lib/postgresql:/bin/sh\n`
  assert.deepEqual(chooseRunAs({ uid: 1000, passwd: withPostgres }), {})
  assert.deepEqual(chooseRunAs({ uid: undefined, passwd: '' }), {})
  assert.deepEqual(chooseRunAs({ uid: 0, passwd: withPostgres }), { uid: 101, gid: 104 })
  assert.deepEqual(chooseRunAs({ uid: 0, passwd }), { uid: 65_534, gid: 65_533 })
  assert.deepEqual(chooseRunAs({ uid: 0, passwd: '' }), { uid: 65_534, gid: 65_534 })
  const alice = { uid: 1000, gid: 100 }
  assert.deepEqual(chooseRunAs({ uid: 0, passwd: withPostgres, dataOwner: alice }), alice)
  const root = { uid: 0, gid: 0 }
  assert.equal(chooseRunAs({ uid: 0, passwd: withPostgres, dataOwner: root }).uid, 101)
  const odd = chooseRunAs({ uid: 0, passwd: 'postgres:x:0:0::/:/bin/sh\nbroken\n:::\n' })
  assert.deepEqual(odd, { uid: 65_534, gid: 65_534 })
})

test('what a server tells about itself', () => {
  const text = '12507\n/data\n1794786327\n5432\n/tmp/x\n\n 10100427        54\nready   \n'
  const postmaster = { pid: 12507, socketFolder: '/tmp/x', status: 'ready' }
  assert.deepEqual(parsePostmasterFile(text), postmaster)
  assert.equal(parsePostmasterFile(text.replace('ready', 'starting'))?.status, 'starting')
  assert.equal(parsePostmasterFile('12507\n/data\n')?.status, 'unknown')
  for (const half of ['', '\n', 'x', '-5', '0']) assert.equal(parsePostmasterFile(half), undefined)
})

test('settings by version and place', () => {
  const shape = { connections: 40, socketFolder: '/a, "b"', sharedMemory: false }
  const older = serverSettings({ ...shape, major: 15 })
  assert.equal(older.unix_socket_directories, '"/a, ""b"""')
  assert.equal(older.dynamic_shared_memory_type, 'mmap')
  assert.equal(older.io_method, undefined)
  assert.equal(serverSettings({ ...shape, major: 18 }).io_method, 'sync')
  assert.match(initdbArguments(18, '/d').join(' '), /builtin-locale=C\.UTF-8/)
  assert.doesNotMatch(initdbArguments(15, '/d').join(' '), /builtin/)
  assert(connectionsFor(20, 1) >= 20 + 1 + 10 && connectionsFor(20, 4) >= 4 * 21 + 10)
})

test('the socket is in DATA_DIR while its path fits in 107 bytes', () => {
  const at = (folder: string, reachable = true) => socketFolders({ folder, reachable }, false)
  assert.equal(at('/srv/data')[0], '/srv/data/run')
  assert.match(at('/srv/data', false)[0]!, /^\/tmp\/mlango-[0-9a-f]{16}$/)
  const fitting = `/${'x'.repeat(107 - '/run/.s.PGSQL.5432'.length - 1)}`
  if (process.platform === 'linux') assert.equal(at(fitting)[0], `${fitting}/run`)
  assert.match(at(`${fitting}x`)[0]!, /^\/tmp\//)
  assert.match(at('é'.repeat(60))[0]!, /^\/tmp\//)
  assert.notEqual(at('/a', false)[0], at('/b', false)[0])
})

test('a fault is told with its cause and its cure', () => {
  const about = { folder: '/srv/data' }
  const cases: [string, RegExp][] = [
    ['FATAL:  could not write lock file "postmaster.pid": No space left on device', /is full/],
    ['PANIC:  could not write to file "pg_wal/xlogtemp.1": No space left on device', /is full/],
    ['postgres: error while loading shared libraries: libxml2.so.2: cannot open', /libxml2\.so\.2/],
    ['sh: 3: exec: /x/bin/postgres: not found', /does not run on this system .*POSTGRES_BIN_DIR/],
    ['FATAL:  could not create shared memory segment: Function not implemented', /shared memory/],
    [
      'FATAL:  could not resize shared memory segment "/PostgreSQL.1" to 1048576 bytes: No space left on device',
      /shared memory/,
    ],
    ['FATAL:  could not map anonymous shared memory: Cannot allocate memory', /shared memory/],
    ['initdb: error: could not look up effective user ID 12345: user does not exist', /12345/],
    ['FATAL:  could not create lock file "postmaster.pid": Read-only file system', /written/],
    ['PANIC:  could not locate a valid checkpoint record at 0/15ECF98', /damaged .*backup/],
    ['FATAL:  lock file "postmaster.pid" already exists', /Another PostgreSQL/],
    ['2026-11-16 00:11:09.806 GMT [5952] FATAL:  something new', /\(FATAL: something new\)/],
    ['', /does not say why/],
  ]
  for (const [words, expected] of cases) {
    const sentence = explain(words, about)
    assert.match(sentence, expected)
    assert.match(sentence, /\.$/)
  }
})

test('a backup leaves out what is of the moment', () => {
  for (const name of [
    'PG_VERSION',
    'base/5/1259',
    'pg_wal',
    'pg_replslot',
    'pg_wal/archive_status',
  ]) {
    assert(isCopied(name), name)
  }
  const not = ['postmaster.pid', 'pg_wal/000000010000000000000001', 'pg_replslot/a/state']
  for (const name of [...not, 'base/5/t3_16400', 'base/pgsql_tmp/x', 'base/5/pg_internal.init']) {
    assert(!isCopied(name), name)
  }
  const names = ['1', '2', '3', '4'].map((n) => `00000001000000000000000${n}`)
  const all = [...names, '00000002.history', 'archive_status', `${names[2]}.partial`]
  assert.deepEqual(walToCopy(all, names[1]!, names[2]!), [names[1], names[2], '00000002.history'])
})

test('a header of an archive is read as it was written', () => {
  for (const entry of [
    { name: 'postgres/base/5/1259_fsm', size: 8 ** 11 - 1, kind: 'file' as const },
    { name: 'postgres/pg_wal', size: 0, kind: 'folder' as const },
  ]) {
    assert.deepEqual(readTarHeader(tarHeader(entry)), entry)
  }
  assert.equal(readTarHeader(Buffer.alloc(512)), undefined)
  const changed = tarHeader({ name: 'a', size: 1, kind: 'file' })
  changed[0] = 66
  assert.throws(() => readTarHeader(changed))
  assert.throws(() => tarHeader({ name: 'x'.repeat(101), size: 1, kind: 'file' }))
})
