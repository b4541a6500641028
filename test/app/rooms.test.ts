import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const ROOT = new URL('../../', import.meta.url).pathname
const SRC = join(ROOT, 'src')

/** Packages that only some files may import. */
const GUARDED: Record<string, RegExp> = {
  'find-my-way': /^http\//,
  '@fastify/busboy': /^http\//,
  '@redis/client': /^http\//,
  'zod-openapi': /^http\//,
  ws: /^http\//,
  pg: /^db\//,
  undici: /^(upstream|payments|notices|accounts|webhooks)\//,
  'openid-client': /^accounts\//,
  '@simplewebauthn/server': /^accounts\//,
}

/** They build rooms out of the settings. */
const BUILDERS = new Set(['app', 'cli/doctor'])

/** What a drawing of the whole may show, so that a newcomer can take it in. */
const DRAWING = { boxes: 28, arrows: 130 }

type Import = { file: string; from: string; typeOnly: boolean; target: string }
type Row = { room: string; mayImport: Set<string>; typesOnly: Set<string> }

const files = globSync('**/*.ts', { cwd: SRC }).sort()
const imports = files.flatMap((file) => importsOf(file, SRC))
/** The tests, benchmarks and pages too, with paths from the top. */
const allFiles = globSync('{src,console,test,bench}/**/*.{ts,tsx}', { cwd: ROOT }).filter(
  (file) => !file.includes('node_modules'),
)
const allImports = allFiles.flatMap((file) => importsOf(file, ROOT))
const rows = roomsOf(readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8'))

function importsOf(file: string, top: string): Import[] {
  const text = readFileSync(join(top, file), 'utf8')
  const statements =
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
  return [...text.matchAll(statements)].map((match) => {
    const from = match[2] ?? match[3]!
    const target = from.startsWith('.') ? relative(top, join(top, dirname(file), from)) : ''
    return { file, from, typeOnly: match[1] !== undefined, target }
  })
}

/** The rows of "| `room` | what it knows | `a`, `b`, `c` (types) |". */
function roomsOf(architecture: string): Map<string, Row> {
  const table = architecture.matchAll(/^\| `([a-z0-9/-]+)` \| [^|]+ \| ([^|]+) \|$/gm)
  const found = new Map<string, Row>()
  for (const [, room, cell] of table) {
    const names = [...cell!.matchAll(/`([a-z0-9./-]+)`( \(types\))?/g)]
    assert.ok(names.length > 0 || cell!.trim() === 'nothing of ours', `${room}: ${cell}`)
    found.set(room!, {
      room: room!,
      mayImport: new Set(names.map(([, name]) => name!)),
      typesOnly: new Set(names.filter(([, , types]) => types).map(([, name]) => name!)),
    })
  }
  return found
}

/** `gateway/chat/form.ts` is in the room `gateway/chat`, `gateway/embed.ts` in `gateway`. */
function roomOf(file: string): string {
  return dirname(file) === '.' ? '' : dirname(file)
}

/** From another room a name means all of that room; from inside, the files of that folder alone. */
function nameSeenFrom(room: string, target: string): string {
  if (roomOf(target) === '') return target
  const [own, other] = [room.split('/')[0], roomOf(target).split('/')[0]!]
  return own === other ? roomOf(target) : other
}

test('the readers of imports and of the table read', () => {
  assert.ok(imports.length > 300, `${imports.length} imports`)
  assert.ok(
    allImports.some(({ target }) => target === 'console/src/app.tsx'),
    'pages of the console too',
  )
  assert.ok(
    imports.some((one) => one.from === '@redis/client'),
    'dynamic imports too',
  )
  assert.ok(rows.size > 20, `${rows.size} rooms in the table`)
})

test('the table in ARCHITECTURE.md names every folder of src, and no other', () => {
  const folders = new Set(files.map(roomOf).filter((room) => room !== ''))
  assert.deepEqual([...rows.keys()].sort(), [...folders].sort())
})

test('rooms import only what the table allows', () => {
  const wrong = imports
    .filter(({ file, target }) => target !== '' && roomOf(file) !== '')
    .filter(({ file, target, typeOnly }) => {
      const room = roomOf(file)
      if (roomOf(target) === room) return false
      // A type names the settings; reading them stays with whoever builds the rooms.
      if (target === 'config.ts') return !typeOnly && !BUILDERS.has(room)
      if (target.startsWith('../simulator/')) return room !== 'app'
      const { mayImport, typesOnly } = rows.get(room)!
      const name = nameSeenFrom(room, target)
      return !mayImport.has(name) || (typesOnly.has(name) && !typeOnly)
    })
    .map(({ file, target }) => `${file} imports ${target}`)
  assert.deepEqual(wrong, [])
})

test('the table allows nothing that no room uses', () => {
  const unused = [...rows.values()].flatMap(({ room, mayImport, typesOnly }) => {
    const own = imports.filter(({ file, target }) => roomOf(file) === room && target !== '')
    const used = new Set(own.map(({ target }) => nameSeenFrom(room, target)))
    const run = new Set(
      own.filter(({ typeOnly }) => !typeOnly).map(({ target }) => nameSeenFrom(room, target)),
    )
    return [
      ...[...mayImport].filter((name) => !used.has(name)).map((name) => `${room}: ${name}`),
      ...[...typesOnly].filter((name) => run.has(name)).map((name) => `${room}: ${name} (types)`),
    ]
  })
  assert.deepEqual(unused, [])
})

test('no circle between files, type imports included', () => {
  const graph = new Map(allFiles.map((file) => [file, new Set<string>()]))
  for (const { file, target } of allImports) if (target !== '') graph.get(file)!.add(target)
  assert.deepEqual(circles(graph), [])
})

test('a drawing of the whole has few boxes and arrows', () => {
  // Rooms with all that is in them, and the files beside the rooms.
  const box = (file: string) => file.split('/')[0]!
  const boxes = new Set(files.map(box))
  const arrows = imports
    .filter(({ target }) => target !== '' && !target.startsWith('../'))
    .filter(({ file, target }) => box(file) !== box(target))
    .map(({ file, target }) => `${box(file)} → ${box(target)}`)
  const drawn = [...new Set(arrows)].sort()
  assert.ok(boxes.size <= DRAWING.boxes, `${boxes.size} boxes: ${[...boxes].join(', ')}`)
  assert.ok(drawn.length <= DRAWING.arrows, `${drawn.length} arrows:\n${drawn.join('\n')}`)
})

test('no circle between folders', () => {
  // Files beside the sub-rooms of a room, and files beside the rooms, count one by one.
  const divided = new Set(files.map(roomOf).map(dirname))
  const place = (file: string) => (divided.has(roomOf(file) || '.') ? file : roomOf(file))
  const graph = new Map(files.map((file) => [place(file), new Set<string>()]))
  for (const { file, target } of imports) {
    if (target === '' || !graph.has(place(target)) || place(file) === place(target)) continue
    graph.get(place(file))!.add(place(target))
  }
  assert.deepEqual(circles(graph), [])
})

/** Strongly connected parts of more than one member (Tarjan). */
function circles(graph: Map<string, Set<string>>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (node: string): number => {
    order.set(node, order.size)
    lowest.set(node, order.get(node)!)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue
      const reach = order.has(next)
        ? stack.includes(next)
          ? order.get(next)!
          : Infinity
        : visit(next)
      lowest.set(node, Math.min(lowest.get(node)!, reach))
    }
    if (lowest.get(node) === order.get(node)) {
      const part = stack.splice(stack.indexOf(node))
      if (part.length > 1) found.push(part.sort())
    }
    return lowest.get(node)!
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return found
}

test('no two exported things share a name', () => {
  const places = new Map<string, string[]>()
  for (const file of files) {
    const text = readFileSync(join(SRC, file), 'utf8')
    const declared = /^export (?:async )?(?:type|function|const|class|interface|let) (\w+)/gm
    for (const [, name] of text.matchAll(declared)) {
      places.set(name!, [...(places.get(name!) ?? []), file])
    }
  }
  const shared = [...places].filter(([, where]) => new Set(where).size > 1)
  assert.deepEqual(shared, [])
})

test('no folder holds more than 25 files', () => {
  const counts = Map.groupBy(allFiles, dirname)
  const crowded = [...counts].filter(([, inside]) => inside.length > 25)
  assert.deepEqual(
    crowded.map(([room, inside]) => `${room}: ${inside.length}`),
    [],
  )
})

test('frameworks, drivers and clients stay in their rooms', () => {
  const wrong = imports
    .filter(({ from, file }) => GUARDED[from]?.test(file) === false)
    .map(({ file, from }) => `${file} imports ${from}`)
  assert.deepEqual(wrong, [])
})

test('SQL lives in stores', () => {
  const query = /\.query(?:<[^(]*>)?\(\s*[`'"]|\.read(?:<[^(]*>)?\(\s*[`'"]\s*select\b/
  const wrong = files
    .filter((file) => !/-store\.ts$|^db\//.test(file))
    .filter((file) => query.test(readFileSync(join(SRC, file), 'utf8')))
  assert.deepEqual(wrong, [])
})

test('only one file reads the environment', () => {
  const readers = files.filter((file) =>
    /\bprocess\.env\b/.test(
      readFileSync(join(SRC, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, ''),
    ),
  )
  // The entry points hand it to the reader.
  const entries = ['config.ts', 'main.ts', 'cli.ts', 'app/load-env-file.ts']
  assert.deepEqual(
    readers.filter((file) => !entries.includes(file)),
    [],
  )
})
