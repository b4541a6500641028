/** The oldest and plainest form of tar, which every `tar` reads: enough for names of ours. */
export type TarEntry = { name: string; size: number; kind: 'file' | 'folder' }

const BLOCK = 512
export const BLOCK_BYTES: number = BLOCK

export function tarHeader({ name, size, kind }: TarEntry): Buffer {
  const full = kind === 'folder' ? `${name}/` : name
  if (Buffer.byteLength(full) > 100 || size >= 8 ** 11) throw new Error(`${name} fits in no tar.`)
  const block = Buffer.alloc(BLOCK)
  block.write(full, 0)
  block.write(kind === 'folder' ? '0000700\0' : '0000600\0', 100)
  block.write('0000000\x000000000\0', 108)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  block.write(kind === 'folder' ? '5' : '0', 156)
  block.write('ustar\x0000', 257)
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** Undefined for the empty block that ends an archive; throws for what is no header of ours. */
export function readTarHeader(block: Buffer): TarEntry | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  const kind = KINDS[block.toString('latin1', 156, 157)]
  const size = Number.parseInt(text(block, 124, 136), 8)
  const sum = Number.parseInt(text(block, 148, 156), 8)
  if (kind === undefined || !(size >= 0) || sum !== checksum(block))
    throw new Error('no tar header')
  return { name: text(block, 0, 100).replace(/\/$/, ''), size, kind }
}

export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

/** Two empty blocks. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK)

const KINDS: Record<string, TarEntry['kind'] | undefined> = { '0': 'file', '5': 'folder' }

function text(block: Buffer, from: number, to: number): string {
  const end = block.indexOf(0, from)
  return block.toString('utf8', from, end < from || end > to ? to : end)
}

/** The sum of all bytes, with its own field taken as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 32
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte
  return sum
}
