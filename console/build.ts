import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build as viteBuild, type Manifest } from 'vite'
import type { Prerender } from './src/prerendered.ts'
import { browserConfig, prerenderConfig } from './vite.config.ts'

/** Builds beside the target, then renames: the folder is complete or absent. */
export async function build(target: string): Promise<void> {
  const work = `${target}.building-${process.pid}`
  const files = join(work, 'files')
  try {
    await mkdir(work, { recursive: true })
    await viteBuild(browserConfig(files))
    await viteBuild(prerenderConfig(join(work, 'prerender')))
    const manifestFile = join(files, '.vite/manifest.json')
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
    const { prerender } = (await import(
      pathToFileURL(join(work, 'prerender/prerender.js')).href
    )) as { prerender: Prerender }
    writeFileSync(join(work, 'pages.json'), JSON.stringify(await prerender(manifest)))
    compress(files)
    await rename(manifestFile, join(work, 'manifest.json'))
    await rm(join(files, '.vite'), { recursive: true })
    await rm(join(work, 'prerender'), { recursive: true })
    await rename(work, target).catch((error: NodeJS.ErrnoException) => {
      // Another process has built the same already.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    await removeOlder(target)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

function compress(folder: string): void {
  for (const path of globSync('**/*.{js,css,svg}', { cwd: folder })) {
    const bytes = readFileSync(join(folder, path))
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(bytes))
    writeFileSync(join(folder, `${path}.gz`), gzipSync(bytes, { level: 9 }))
  }
}

/** A service that serves an older build has it in memory. */
async function removeOlder(target: string): Promise<void> {
  for (const name of await readdir(dirname(target))) {
    if (name.startsWith(basename(target)) || name.includes('.building-')) continue
    await rm(join(dirname(target), name), { recursive: true, force: true })
  }
}
