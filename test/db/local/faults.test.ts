import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  copyOfPackage,
  ask,
  freshFolder,
  isRoot,
  service,
  start,
  reported,
  withData,
} from './support.ts'

/** Everything in the data folder, so that a test can tell that nothing was touched. */
function contents(dataDir: string): string[] {
  return readdirSync(join(dataDir, 'postgres'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('postmaster.'))
    .sort()
}

async function refused(dataDir: string, expected: RegExp): Promise<void> {
  const before = contents(dataDir)
  await assert.rejects(start(dataDir), (error: Error) => {
    assert.equal(error.name, 'DatabaseError')
    assert.match(error.message, expected)
    return true
  })
  assert.deepEqual(contents(dataDir), before)
}

test('damaged data are refused, and left as they are', async () => {
  const spoil: ((data: string) => void)[] = [
    (data) => rmSync(join(data, 'PG_VERSION')),
    (data) => writeFileSync(join(data, 'PG_VERSION'), 'x'),
    (data) => rmSync(join(data, 'global/pg_control')),
    (data) => writeFileSync(join(data, 'global/pg_control'), Buffer.alloc(8192, 7)),
    (data) => globSync(join(data, 'pg_wal/0*')).forEach((file) => writeFileSync(file, '')),
    (data) => rmSync(join(data, 'postgresql.conf')),
    (data) => rmSync(join(data, 'pg_xact'), { recursive: true }),
  ]
  for (const one of spoil) {
    const dataDir = await withData()
    one(join(dataDir, 'postgres'))
    await refused(dataDir, /are damaged.*restore the last backup/s)
  }
})

test('data of another major version are refused', async () => {
  for (const version of ['17', '99']) {
    const dataDir = await withData()
    writeFileSync(join(dataDir, 'postgres/PG_VERSION'), `${version}\n`)
    await refused(dataDir, new RegExp(`made by PostgreSQL ${version}, and this is \\d+`))
  }
})

test('a missing library, package, or shared memory is named', async () => {
  const folder = freshFolder()
  const native = copyOfPackage(folder)
  const copies = freshFolder()
  rmSync(globSync(join(native, 'lib/libicuuc.so.*'))[0]!)
  const broken = { native, copyPlaces: [copies] }
  await assert.rejects(
    start(freshFolder(), broken),
    /needs libicuuc\S*, which this system does not/,
  )
  await assert.rejects(start(freshFolder(), { binDir: folder }), /POSTGRES_BIN_DIR: there is no/)
  const dataDir = await withData()
  const huge = { settings: { shared_buffers: '8191GB' } }
  await assert.rejects(start(dataDir, huge), /gives PostgreSQL no shared memory/)
})

test(
  'a PostgreSQL of the system can be chosen, and its data are not taken for ours',
  {
    skip: !existsSync('/usr/lib/postgresql'),
  },
  async () => {
    const version = readdirSync('/usr/lib/postgresql').sort().at(-1)!
    const binDir = `/usr/lib/postgresql/${version}/bin`
    const dataDir = freshFolder()
    const server = await start(dataDir, { binDir })
    const [row] = await ask<{ server_version: string }>(server.url, 'show server_version')
    assert.match(row!.server_version, new RegExp(`^${version}\\.`))
    await server.stop()
    if (version !== '18') await refused(dataDir, new RegExp(`made by PostgreSQL ${version}`))
  },
)

test('a folder that cannot be written is named', { skip: !isRoot }, async () => {
  const folder = freshFolder()
  const nobody = { as: { uid: 65_534, gid: 65_534 } }
  for (const dataDir of [folder, join(folder, 'new')]) {
    const { trouble } = await reported(service(dataDir, nobody))
    assert.match(trouble!, /cannot be written by this user/)
    assert(trouble!.includes(dataDir))
  }
  const dataDir = await withData()
  chmodSync(dataDir, 0o777)
  const { trouble } = await reported(service(dataDir, nobody))
  assert.match(trouble!, /belong to user id \d+, and this is 65534/)
  const file = join(folder, 'file')
  writeFileSync(file, '')
  await assert.rejects(start(join(file, 'data')), /a file stands where a folder is needed/)
})

test(
  'a full disk stops the first start and a later one, and both work when there is room',
  {
    skip: !isRoot || process.platform !== 'linux',
  },
  async (t) => {
    const dataDir = join(freshFolder(), 'small')
    mkdirSync(dataDir)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=120m,mode=755', 'none', dataDir])
    if (mounted.status !== 0) return t.skip('no right to mount')
    t.after(() => spawnSync('umount', ['-l', dataDir]))
    const filler = join(dataDir, 'filler')
    const leave = (bytes: number) => {
      rmSync(filler, { force: true })
      const { bavail, bsize } = statfsSync(dataDir)
      writeFileSync(filler, Buffer.alloc(bavail * bsize - bytes))
    }
    leave(10_000_000)
    await assert.rejects(start(dataDir), /The disk that holds .*small.* is full/)
    rmSync(filler)
    const server = await start(dataDir)
    await ask(server.url, 'create table kept as select 42 as answer')
    await server.stop()
    leave(0)
    await refused(dataDir, /The disk that holds .*small.* is full/)
    rmSync(filler)
    const again = await start(dataDir)
    assert.deepEqual(await ask(again.url, 'select answer from kept'), [{ answer: 42 }])
    await again.stop()
    assert(statSync(dataDir).isDirectory())
  },
)
