import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { ConsoleFolders } from './folders.ts'

export type PageLanguage = 'sw' | 'en'
type Asset = {
  type: string
  plain: Buffer
  br: Buffer | undefined
  gzip: Buffer | undefined
}

/** The built pages, read into memory once: about a megabyte. */
export type Bundle = {
  /** By the path they are asked for, such as `/assets/main-1a2b3c.js`. */
  assets: Map<string, Asset>
  /** HTML by path and language: `/models sw`. */
  pages: Map<string, string>
}

/** `building` until the folder is there; it appears whole, by a rename. */
export function findBundle({ hash, places }: ConsoleFolders): Bundle | 'building' | 'failed' {
  const folder = places.map((place) => join(place, hash)).find((path) => existsSync(path))
  if (folder !== undefined) return readBundle(folder)
  return existsSync(join(places[1], `${hash}.failed`)) ? 'failed' : 'building'
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
}

function readBundle(folder: string): Bundle {
  const read = (path: string) => readFileSync(join(folder, path))
  const packed = (path: string) => (existsSync(join(folder, path)) ? read(path) : undefined)
  const assets = new Map<string, Asset>()
  for (const path of globSync('files/**/*.{js,css,svg,png,txt}', { cwd: folder })) {
    assets.set(path.slice('files'.length), {
      type: TYPES[extname(path)]!,
      plain: read(path),
      br: packed(`${path}.br`),
      gzip: packed(`${path}.gz`),
    })
  }
  const pages = JSON.parse(read('pages.json').toString()) as Record<string, string>
  return { assets, pages: new Map(Object.entries(pages)) }
}
