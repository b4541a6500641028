import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../load/random.ts'
import { fileBytes, torn, type Change, type FileBytes } from './file-bytes.ts'
import type { FileOp } from './journal.ts'
import { openNames, type Folder } from './names.ts'

/**
 * A folder on a disk that keeps what was synced, and perhaps some of the rest. The rules are those
 * of POSIX with one thing that ext4, XFS and Btrfs add: an fsync of a new file keeps its name too.
 * Every other change of a name needs an fsync of its folder.
 */
export type Disk = {
  apply(op: FileOp): void
  /** Writes the folder as a loss of power at this moment leaves it. */
  writeTo(folder: string, survival: Survival): void
  unsyncedBytes(): number
  /** Paths whose bytes differ from a real folder once everything is counted as written. */
  differences(folder: string): string[]
}

/** What else survives: this share of the unsynced sectors, and the first so many changes of names. */
export type Survival = { share: number; names: number; random: Random }

/** A file has bytes, a folder names; a link has neither, since links are made at each start. */
interface Node extends Folder<Node> {
  kind: 'file' | 'folder' | 'symlink'
  synced: FileBytes
  unsynced: Change[]
}

export function openDisk(root: string): Disk {
  const nodes = new Map<number, Node>()
  const names = openNames<Node>()
  const top = load(root, nodes)

  const link = ({ inode, parent, name, kind }: Extract<FileOp, { op: 'link' }>) => {
    const folder = nodes.get(parent)
    const known = nodes.get(inode)
    if (folder === undefined || (known && folder.seen.get(name) === known)) return
    // The number of a file that is gone may be given to a new one.
    const node = known !== undefined && isNamed(top, known) ? known : newNode(kind)
    nodes.set(inode, node)
    names.change({ node, to: { folder, name } })
  }
  const sync = (node: Node) => {
    for (const change of node.unsynced) node.synced.change(change)
    node.unsynced = []
    if (node.kind === 'folder')
      names.keep(({ from, to }) => from?.folder === node || to?.folder === node)
    else names.keep((one) => one.node === node && one.from === undefined)
  }
  const place = (parent: number, name: string) => {
    const folder = nodes.get(parent)
    if (folder === undefined) throw new Error(`${name} crossed the border of the folder.`)
    return { folder, name }
  }

  return {
    apply(op) {
      const node = nodes.get(op.inode)
      if (op.op === 'link') link(op)
      else if (node === undefined) return
      else if (op.op === 'unknown') throw new Error(`The simulation cannot follow ${op.what}.`)
      else if (op.op === 'sync') sync(node)
      else if (op.op === 'unlink') names.change({ node, from: place(op.parent, op.name) })
      else if (op.op === 'rename') {
        const from = place(op.from.parent, op.from.name)
        names.change({ node, from, to: place(op.to.parent, op.to.name) })
      } else node.unsynced.push(op)
    },
    writeTo(folder, survival) {
      const surviving = names.surviving(survival.names)
      const write = (node: Node, path: string) => {
        if (node.kind === 'file')
          writeFileSync(path, torn(node.synced, node.unsynced, survival), { mode: 0o600 })
        if (node.kind !== 'folder') return
        mkdirSync(path, { mode: 0o700, recursive: true })
        for (const [name, child] of surviving(node)) write(child, join(path, name))
      }
      write(top, folder)
    },
    unsyncedBytes: () =>
      [...nodes.values()]
        .flatMap(({ unsynced }) => unsynced)
        .reduce((sum, one) => sum + (one.op === 'write' ? one.bytes.length : 0), 0),
    differences: (folder) => differences(top, folder),
  }
}

function load(path: string, nodes: Map<number, Node>): Node {
  const found = lstatSync(path)
  const node = newNode(found.isDirectory() ? 'folder' : 'file')
  nodes.set(found.ino, node)
  if (node.kind === 'file') node.synced = fileBytes(readFileSync(path))
  else {
    for (const name of entries(path)) node.seen.set(name, load(join(path, name), nodes))
    node.kept = new Map(node.seen)
  }
  return node
}

/** Files and folders; links and sockets are made again at each start. */
function entries(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((one) => one.isDirectory() || one.isFile())
    .map(({ name }) => name)
}

function newNode(kind: Node['kind']): Node {
  const names = { seen: new Map<string, Node>(), kept: new Map<string, Node>() }
  return { kind, synced: fileBytes(Buffer.alloc(0)), unsynced: [], ...names }
}

function isNamed(folder: Node, node: Node): boolean {
  return [...folder.seen.values()].some((one) => one === node || isNamed(one, node))
}

function differences(node: Node, path: string): string[] {
  const ours = [...node.seen].filter(([, { kind }]) => kind !== 'symlink').map(([name]) => name)
  const theirs = entries(path)
  return [...new Set([...ours, ...theirs])].flatMap((name) => {
    const at = join(path, name)
    const child = node.seen.get(name)
    if (child === undefined || !theirs.includes(name))
      return [`${at}: only ${child === undefined ? 'there' : 'in the record'}`]
    if (child.kind === 'folder') return differences(child, at)
    const bytes = fileBytes(Buffer.from(child.synced.view()))
    for (const change of child.unsynced) bytes.change(change)
    return bytes.view().equals(readFileSync(at)) ? [] : [`${at}: other bytes`]
  })
}
