import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../../console/build.ts'
import { consoleFolders } from '../../../src/web/folders.ts'

/** Ahead, beside the sources: every file of tests then finds them. */
export async function buildPages(): Promise<string> {
  const { hash, places } = consoleFolders('.')
  const target = join(places[0], hash)
  if (!existsSync(target)) await build(target)
  return target
}
