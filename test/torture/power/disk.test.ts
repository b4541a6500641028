import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { seededRandom } from '../load/random.ts'
import { openDisk, type Disk } from './disk.ts'
import type { FileOp } from './journal.ts'

const place = mkdtempSync(join(tmpdir(), 'mlango-disk-'))
after(() => rmSync(place, { recursive: true }))

/** A folder with a file `old`, which holds `before`. */
function newDisk(): { disk: Disk; root: number; old: number } {
  const folder = mkdtempSync(join(place, 'live-'))
  writeFileSync(join(folder, 'old'), 'before')
  const old = statSync(join(folder, 'old')).ino
  return { disk: openDisk(folder), root: statSync(folder).ino, old }
}

function afterCut(disk: Disk, { share = 0, names = 0 } = {}): (name: string) => string | undefined {
  const folder = join(mkdtempSync(join(place, 'cut-')), 'data')
  mkdirSync(folder)
  disk.writeTo(folder, { share, names, random: seededRandom(1) })
  return (name) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined
}

const write = (inode: number, text: string, at = 0): FileOp => {
  return { op: 'write', inode, at, bytes: Buffer.from(text) }
}
const link = (parent: number, name: string, inode: number): FileOp => {
  return { op: 'link', inode, parent, name, kind: 'file' }
}
const rename = (parent: number, from: string, to: string, inode: number): FileOp => {
  return { op: 'rename', inode, from: { parent, name: from }, to: { parent, name: to } }
}
const sync = (inode: number): FileOp => ({ op: 'sync', inode })

function apply(disk: Disk, ...ops: FileOp[]): void {
  for (const op of ops) disk.apply(op)
}

test('a write is lost until its file is synced', () => {
  const { disk, old } = newDisk()
  apply(disk, write(old, 'after!'))
  assert.equal(afterCut(disk)('old'), 'before')
  apply(disk, sync(old), write(old, 'later!'))
  assert.equal(afterCut(disk)('old'), 'after!')
  assert.equal(disk.unsyncedBytes(), 6)
})

test('a file that was made shorter has its length again, unless it is synced', () => {
  const { disk, old } = newDisk()
  apply(disk, { op: 'truncate', inode: old, size: 2 })
  assert.equal(afterCut(disk)('old'), 'before')
  apply(disk, sync(old), { op: 'allocate', inode: old, at: 0, size: 4 }, sync(old))
  assert.equal(afterCut(disk)('old'), 'be\0\0')
})

test('a new file is there once it is synced, with its name', () => {
  const { disk, root } = newDisk()
  apply(disk, link(root, 'new', 1), write(1, 'text'))
  assert.equal(afterCut(disk)('new'), undefined)
  assert.equal(afterCut(disk, { names: 1 })('new'), '')
  apply(disk, sync(1))
  assert.equal(afterCut(disk)('new'), 'text')
})

test('another name and a removal need a sync of the folder', () => {
  const { disk, root, old } = newDisk()
  apply(disk, link(root, 'draft', 1), write(1, 'draft'), sync(1), rename(root, 'draft', 'old', 1))
  apply(disk, sync(1))
  assert.equal(afterCut(disk)('old'), 'before')
  assert.equal(afterCut(disk)('draft'), 'draft')
  assert.equal(afterCut(disk, { names: 1 })('old'), 'draft')
  apply(disk, sync(root))
  assert.equal(afterCut(disk)('old'), 'draft')
  assert.equal(afterCut(disk)('draft'), undefined)
  apply(disk, { op: 'unlink', inode: 1, parent: root, name: 'old' })
  assert.equal(afterCut(disk)('old'), 'draft')
  apply(disk, sync(root), sync(old))
  assert.equal(afterCut(disk)('old'), undefined)
})

test('the number of a removed file may belong to a new one', () => {
  const { disk, root, old } = newDisk()
  apply(disk, { op: 'unlink', inode: old, parent: root, name: 'old' }, link(root, 'other', old))
  apply(disk, write(old, 'other'))
  assert.equal(afterCut(disk)('old'), 'before')
  apply(disk, sync(old))
  assert.equal(afterCut(disk)('other'), 'other')
  assert.equal(afterCut(disk)('old'), 'before')
})

test('some sectors of an unsynced write may survive, each as a whole', () => {
  const { disk, old } = newDisk()
  apply(disk, write(old, 'x'.repeat(512 * 100)))
  const text = afterCut(disk, { share: 0.5 })('old')!
  const whole = text.match(/x{512}/g)?.length ?? 0
  assert(whole > 20 && whole < 80, `${whole} sectors`)
  assert.equal(text.replaceAll('x'.repeat(512), '').includes('x'), false)
})

test('what the simulation cannot follow ends it', () => {
  const { disk, old } = newDisk()
  apply(disk, { op: 'unknown', inode: 12_345, what: 'mmap' })
  assert.throws(() => disk.apply({ op: 'unknown', inode: old, what: 'mmap' }), /mmap/)
})
