import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { routesType } from '../console/routes-type.ts'

/** `npm run console:routes`: writes the type after a change of the API's routes. */
const file = join(import.meta.dirname, '../console/src/client/routes.ts')
writeFileSync(file, await routesType())
