import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  dropSocketFolder,
  makeSocketFolder,
  socketFolders,
} from '../../../src/db/local/socket-folder.ts'
import { allGone, ask, copyOfPackage, freshFolder, isRoot, service, reported } from './support.ts'

const linux = process.platform === 'linux'
const NOBODY = { uid: 65_534, gid: 65_534 }

/** Starts it there, asks it something, stops it; gives what it said. */
async function works(dataDir: string, options: Parameters<typeof service>[1] = {}) {
  for (const round of ['first', 'later']) {
    const child = service(dataDir, options)
    const server = await reported(child)
    assert.equal(server.trouble, undefined, round)
    assert.deepEqual(await ask(server.url, 'select 1 as one'), [{ one: 1 }], round)
    if (linux) assert.equal(readlinkSync(`/proc/${server.pid}/cwd`), join(dataDir, 'postgres'))
    await child.end()
    assert(await allGone(dataDir))
    if (round === 'later') return server
  }
  throw new Error('unreachable')
}

test('as root in an open folder', { skip: !isRoot }, async () => {
  const { notes } = await works(join(freshFolder(), 'data'))
  assert.equal(notes.length, 1)
  assert.match(notes[0]!, /runs as user id [1-9]\d*, not as root/)
})

test('as root below a folder that nobody else may enter', { skip: !isRoot }, async () => {
  const closed = freshFolder()
  chmodSync(closed, 0o700)
  const native = copyOfPackage(join(closed, 'package'))
  const copies = freshFolder()
  const { notes } = await works(join(closed, 'data'), { native, copies })
  assert.match(notes.join('\n'), new RegExp(`copied to ${copies}/mlango-postgres-`))
  assert.match(notes.join('\n'), /socket is in \/run\/mlango-[0-9a-f]+/)
  assert.deepEqual(readdirSync(join(closed, 'data/postgres')).includes('PG_VERSION'), true)
})

test(
  'as an ordinary user, with a package of someone else that is read-only',
  { skip: !isRoot },
  async () => {
    const folder = freshFolder()
    const native = copyOfPackage(join(folder, 'package'))
    const before = readdirSync(join(native, 'lib'))
    const dataDir = join(folder, 'data')
    mkdirSync(dataDir)
    chownSync(dataDir, NOBODY.uid, NOBODY.gid)
    const { notes } = await works(dataDir, { as: NOBODY, native })
    assert.deepEqual(notes, [])
    assert.deepEqual(readdirSync(join(native, 'lib')), before)
  },
)

test('as root on the data of an ordinary user', { skip: !isRoot }, async () => {
  const dataDir = join(freshFolder(), 'data')
  mkdirSync(dataDir)
  chownSync(dataDir, NOBODY.uid, NOBODY.gid)
  await works(dataDir, { as: NOBODY })
  const { notes } = await works(dataDir)
  assert.match(notes[0]!, /user id 65534/)
  await works(dataDir, { as: NOBODY })
})

test('with spaces and letters beyond ASCII in its path', async () => {
  await works(join(freshFolder(), 'Data ya Mlango, é 門 (1)'))
})

test('with letters that a path of libraries cannot hold', async () => {
  const folder = freshFolder()
  const { notes } = await works(join(folder, `a:b;$HOME "x" 'y'`), { copies: folder })
  assert.match(notes.join('\n'), /copied to/)
})

test('with a path of 150 characters', async () => {
  const folder = freshFolder()
  const dataDir = join(folder, 'x'.repeat(149 - folder.length))
  assert.equal(dataDir.length, 150)
  const { notes, url } = await works(dataDir)
  assert.match(notes.join('\n'), /Its socket is in \/(run|tmp)\/mlango-/)
  assert(!url.includes('xxx'))
})

test('a link or a folder of others in the place of the socket is not used', () => {
  const folder = join(freshFolder(), 'x'.repeat(120))
  mkdirSync(folder)
  const as = isRoot ? NOBODY : {}
  const home = { folder, data: join(folder, 'postgres'), as, reachable: true }
  const [first, second] = socketFolders(home, isRoot)
  for (const trap of [
    () => symlinkSync(folder, first!),
    () => mkdirSync(first!, { mode: 0o777 }),
  ]) {
    trap()
    if (!lstatSync(first!).isSymbolicLink()) chmodSync(first!, 0o777)
    const made = makeSocketFolder(home)
    assert.equal(made, second)
    assert.equal(lstatSync(made).mode & 0o777, 0o700)
    rmSync(first!, { recursive: true })
    dropSocketFolder(made)
  }
})

test(
  'with a strict umask as root, in the open and in a closed folder',
  { skip: !isRoot },
  async () => {
    const before = process.umask(0o077)
    try {
      const folder = freshFolder()
      await works(join(folder, 'data'), { copies: folder })
      const closed = freshFolder()
      chmodSync(closed, 0o700)
      await works(join(closed, 'data'), { copies: folder })
    } finally {
      process.umask(before)
    }
  },
)

test('root that may not become another user is told so', { skip: !isRoot || !linux }, () => {
  const file = join(import.meta.dirname, 'children/hold-server.ts')
  const child = spawnSync('unshare', ['-r', process.execPath, file, join(freshFolder(), 'data')], {
    encoding: 'utf8',
  })
  if (/unshare/.test(child.stderr)) return
  assert.match(child.stdout, /this root may not start a process as user id/)
})
