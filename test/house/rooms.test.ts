import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const SRC = new URL('../../src/', import.meta.url).pathname

const DOMAIN = ['accounts', 'activity', 'billing', 'catalog', 'gateway', 'notices', 'payments']

/** Which room may import which; every room may import itself. `house` and `main` know all. */
const MAY: Record<string, string[]> = {
  lib: [],
  db: ['lib'],
  upstream: ['lib'],
  http: ['lib'],
  billing: ['db', 'lib'],
  catalog: ['db', 'lib'],
  activity: ['db', 'lib'],
  notices: ['db', 'lib'],
  replay: ['db', 'lib'],
  payments: ['billing', 'notices', 'replay', 'db', 'lib'],
  accounts: ['billing', 'notices', 'db', 'lib'],
  gateway: ['catalog', 'billing', 'activity', 'upstream', 'replay', 'db', 'lib'],
  routes: [...DOMAIN, 'http', 'upstream', 'lib'],
  jobs: [...DOMAIN, 'upstream', 'replay', 'db', 'lib'],
}

/** Packages that only some files may import. */
const GUARDED: Record<string, RegExp> = {
  fastify: /^http\//,
  '@fastify/multipart': /^http\//,
  '@redis/client': /^http\//,
  'zod-openapi': /^http\//,
  pg: /^db\//,
  '@electric-sql/pglite': /^db\//,
  undici: /^(upstream|payments|notices|accounts)\//,
  'openid-client': /^accounts\//,
}

type Import = { file: string; from: string; typeOnly: boolean; target: string }

const imports = globSync('**/*.ts', { cwd: SRC }).flatMap(importsOf)
const roomOf = (file: string) => (file.includes('/') ? file.split('/')[0]! : '')

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const lines =
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
  return [...text.matchAll(lines)].map((match) => {
    const from = match[2] ?? match[3]!
    const target = from.startsWith('.') ? relative(SRC, join(SRC, dirname(file), from)) : ''
    return { file, from, typeOnly: match[1] !== undefined, target }
  })
}

test('the reader of imports reads', () => {
  assert.ok(imports.length > 300, `${imports.length} imports`)
  assert.ok(
    imports.some((one) => one.from === '@redis/client'),
    'dynamic ones too',
  )
  for (const room of Object.keys(MAY)) {
    assert.ok(imports.some((one) => roomOf(one.file) === room) || room === 'lib', room)
  }
})

test('rooms import only what the table allows', () => {
  const wrong = imports
    .filter(({ target }) => target !== '')
    .filter(({ file, target, typeOnly }) => {
      const [room, other] = [roomOf(file), roomOf(target)]
      const may = MAY[room]
      // Files outside the rooms (house, main, operator) know everybody.
      if (may === undefined || room === other) return false
      // A type names the settings; reading them stays with whoever builds the room.
      if (other === '' && target === 'config.ts') return !typeOnly
      // Doors name the database they hand on to a room; they ask it nothing themselves.
      if (room === 'routes' && target === 'db/db.ts') return !typeOnly
      return !may.includes(other)
    })
    .map(({ file, target }) => `${file} imports ${target}`)
  assert.deepEqual(wrong, [])
})

test('frameworks, drivers and clients stay in their rooms', () => {
  const wrong = imports
    .filter(({ from, file, typeOnly }) => {
      const guard = GUARDED[from]
      return guard !== undefined && !guard.test(file) && !(typeOnly && roomOf(file) === '')
    })
    .map(({ file, from }) => `${file} imports ${from}`)
  assert.deepEqual(wrong, [])
})

test('SQL lives in stores', () => {
  const query = /\.query(?:<[^(]*>)?\(\s*(?:`|'|")/
  const wrong = globSync('**/*.ts', { cwd: SRC })
    .filter((file) => !/-store\.ts$|^db\//.test(file))
    .filter((file) => query.test(readFileSync(join(SRC, file), 'utf8')))
  assert.deepEqual(wrong, [])
})

test('only one file reads the environment', () => {
  const readers = globSync('**/*.ts', { cwd: SRC }).filter((file) =>
    /\bprocess\.env\b/.test(
      readFileSync(join(SRC, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, ''),
    ),
  )
  // The front doors hand it to the reader.
  const doors = ['config.ts', 'main.ts', 'operator.ts', 'load-env-file.ts']
  assert.deepEqual(
    readers.filter((file) => !doors.includes(file)),
    [],
  )
})
