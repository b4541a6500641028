import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** What a phone has to fetch, in kB as gzip packs it. */
export const BUDGET_KB = { firstScript: 130, style: 12, page: 15 }

type Manifest = Record<string, { file: string; imports?: string[] }>

export type Sizes = { firstScript: number; style: number; pages: Record<string, number> }

/** Of a built folder: the first screen, and what each page adds to it. */
export function sizesOf(folder: string): Sizes {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
  const first = filesOf(manifest, 'src/main.tsx')
  const sum = (files: Iterable<string>) =>
    [...files].reduce((total, file) => total + packedKb(join(folder, 'files', file)), 0)
  const pages = Object.keys(manifest).filter((key) => key.startsWith('src/pages/'))
  return {
    firstScript: sum(first),
    style: sum(globSync('assets/*.css', { cwd: join(folder, 'files') })),
    pages: Object.fromEntries(
      pages.map((key) => [
        key.slice('src/pages/'.length),
        sum([...filesOf(manifest, key)].filter((file) => !first.has(file))),
      ]),
    ),
  }
}

function filesOf(manifest: Manifest, key: string, found = new Set<string>()): Set<string> {
  const { file, imports = [] } = manifest[key]!
  found.add(file)
  for (const one of imports) if (!found.has(manifest[one]!.file)) filesOf(manifest, one, found)
  return found
}

const packedKb = (file: string) => gzipSync(readFileSync(file), { level: 9 }).length / 1000
