import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../console/build.ts'
import { consoleFolders } from '../src/web/folders.ts'

/** Builds the pages into the folder named, or ahead: beside their sources, as for a container. */
const { hash, places } = consoleFolders('.')
const target = process.argv[2] ?? join(places[0], hash)
if (existsSync(target)) console.log('The console is built already.')
else await build(target)
