import type { OpenApi } from '../../src/http/docs/openapi.ts'
import { ask, type Asked, type Heard } from './load/ask.ts'
import { badBodies, badCredentials, badTexts } from './rig/bad-texts.ts'
import { dice as newDice, type Dice } from './load/dice.ts'
import { doorsOf, placed, sampleOf, stringSpots, type Door } from './rig/doors.ts'
import { inLanes } from './load/lanes.ts'
import { newPerson, type Person } from './load/person.ts'
import { rawGarbage } from './rig/raw-garbage.ts'
import type { World } from './rig/world.ts'

export type BadInputReport = {
  doors: number
  fields: number
  inputs: number
  longestTurnMs: number
  statuses: Record<string, number>
  violations: string[]
}

/** One thing to send, and whose credential goes with it. */
type Trial = { door: Door; asked: Asked; must?: (status: number) => boolean; what: string }

/**
 * Every operation of the service's own document: bad texts in every string field, in the path and in
 * the query; broken JSON as the whole body; credentials that are almost right; bytes that are not
 * HTTP. `share` is how many of all these are sent, chosen by the seed.
 */
export async function badInput(
  world: World,
  options: { seed: number; share: number },
): Promise<BadInputReport> {
  const dice = newDice(options.seed)
  const { url } = world.fleet.slots[0]!
  const asha = await newPerson(world, '100000000', 500)
  // Whoever calls these routes with a good credential loses it.
  const doomed = await newPerson(world, '10', 501)
  const document = JSON.parse((await ask(url, { line: 'GET /v1/openapi.json' })).text) as OpenApi
  const doors = doorsOf(document)
  const trials = trialsFor(doors, { dice, asha, doomed, canaryUrl: world.canary.url })
  const chosen = trials.filter(({ door }) => dice.chance(options.share * costOf(door)))
  const statuses: Record<string, number> = {}
  const violations: string[] = []
  await inLanes(chosen, 12, async (trial) => {
    const heard = await ask(url, { patienceMs: 60_000, ...trial.asked })
    statuses[heard.status] = (statuses[heard.status] ?? 0) + 1
    const sentence = judge(trial, heard)
    if (sentence !== undefined && violations.length < 50) violations.push(sentence)
  })
  violations.push(...(await rawGarbage(url, asha.key)))
  const health = await ask(url, { line: 'GET /healthz' })
  if (health.status !== 200) violations.push(`/healthz answers ${health.status} afterwards`)
  const { longestTurnMs } = await world.fleet.figures()
  if (longestTurnMs > 250) violations.push(`a turn of the loop took ${longestTurnMs} ms of work`)
  return {
    doors: doors.length,
    fields: doors.reduce((sum, door) => sum + (door.json ? stringSpots(door.json).length : 0), 0),
    inputs: chosen.length,
    longestTurnMs: Math.round(longestTurnMs),
    statuses,
    violations: [...violations, ...tracesIn(world)],
  }
}

type People = { dice: Dice; asha: Person; doomed: Person; canaryUrl: string }

function trialsFor(doors: Door[], people: People): Trial[] {
  const texts = badTexts(people.canaryUrl)
  const bodies = badBodies()
  return doors.flatMap((door) => [
    ...(door.json === undefined ? [] : inFields(door, texts, people)),
    ...(door.json === undefined ? [] : asBodies(door, bodies, people)),
    ...door.places.flatMap((place) => inPlace(door, place, texts, people)),
    ...asCredentials(door, people),
  ])
}

function inFields(door: Door, texts: string[], people: People): Trial[] {
  return stringSpots(door.json!).flatMap((spot) => {
    const sample = sampleOf(door.json!, spot)
    const shapes: unknown[] = [[], {}, 7, null, true, ['x'], { $gt: '' }]
    return [...texts, ...shapes].map((value) => ({
      door,
      what: `${spot.join('.')} = ${JSON.stringify(value).slice(0, 80)}`,
      asked: { ...head(door, people), body: placed(sample, spot, value) },
    }))
  })
}

function asBodies(door: Door, bodies: ReturnType<typeof badBodies>, people: People): Trial[] {
  return bodies.map(({ name, bytes, must }) => {
    const asked = head(door, people)
    const headers = { ...asked.headers, 'content-type': 'application/json' }
    const refused = (status: number) => status >= 400 && status < 500
    return {
      door,
      what: name,
      asked: { ...asked, raw: bytes, headers },
      ...(must && bytes.length > 0 ? { must: refused } : {}),
    }
  })
}

function inPlace(door: Door, place: Door['places'][number], texts: string[], people: People) {
  return texts
    .filter((text) => text.isWellFormed() && text !== '' && text.length < 3_000)
    .map((text): Trial => {
      const asked = head(door, people, { [place.name]: text })
      const what = `${place.in} ${place.name} = ${JSON.stringify(text).slice(0, 80)}`
      const body = door.json === undefined ? {} : { body: sampleOf(door.json) }
      return { door, what, asked: { ...asked, ...body } }
    })
}

function asCredentials(door: Door, people: People): Trial[] {
  if (door.credentials.length === 0) return []
  const body = door.json === undefined ? {} : { body: sampleOf(door.json) }
  return badCredentials(people.asha).map((token) => ({
    door,
    what: `the credential ${token.slice(0, 60)}`,
    asked: { ...head(door, people), ...body, token },
    must: (status) => status === 401 || status === 404,
  }))
}

/** The line with everything in its place; mostly with the credential the route wants. */
function head(door: Door, people: People, given: Record<string, string> = {}): Asked {
  const { dice, asha, doomed } = people
  let path = door.path
  const query = new URLSearchParams()
  for (const { name, in: where } of door.places) {
    const text = given[name] ?? '01900000-0000-7000-8000-000000000001'
    if (where === 'path') path = path.replace(`{${name}}`, encodeURIComponent(text))
    else if (where === 'query' && given[name] !== undefined) query.set(name, text)
  }
  const person = /logout|\/v1\/me$/.test(door.path) && door.method !== 'GET' ? doomed : asha
  const wanted = door.credentials.length > 0 ? dice.pick(door.credentials) : undefined
  const kind = dice.chance(0.9) ? wanted : dice.pick(['key', 'jwt'] as const)
  const token = kind === undefined ? undefined : kind === 'key' ? person.key : person.token
  const suffix = query.size > 0 ? `?${query.toString()}` : ''
  const headers = headersIn(door, given)
  return { line: `${door.method} ${path}${suffix}`, token, headers }
}

function headersIn(door: Door, given: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { name, in: where } of door.places) {
    const text = given[name]
    if (where !== 'header' || text === undefined) continue
    // What no client can put into a header is not tried here but on the raw socket.
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) headers[name.toLowerCase()] = text
  }
  return headers
}

/** Registration and resets hash a password each: fewer of those. */
function costOf({ path, method }: Door): number {
  if (method === 'DELETE' && path === '/v1/me') return 0
  if (/auth\/(register|login|password)/.test(path)) return 0.1
  return /videos$|images|videos\/\{/.test(path) ? 0.3 : 1
}

function judge({ door, asked, must, what }: Trial, heard: Heard): string | undefined {
  const about = `${asked.line.slice(0, 100)}, ${what} → ${heard.status} ${heard.text.slice(0, 200)}`
  if (!heard.whole) return `no answer: ${about}`
  if (heard.status >= 500 && !isUpstreamsRefusal(heard)) return `5xx: ${about}`
  if (must?.(heard.status) === false) return `another status was due: ${about}`
  if (!heard.headers['x-request-id']?.startsWith('req_')) return `no request id: ${about}`
  if (heard.headers['x-content-type-options'] !== 'nosniff') return `sniffable: ${about}`
  return heard.status < 400 ? undefined : judgeFailure(door, heard, about)
}

/** What the model's provider would not take is told as our 502 with this code. */
function isUpstreamsRefusal({ status, text }: Heard): boolean {
  return status === 502 && text.includes('"upstream_rejected"')
}

function judgeFailure(door: Door, heard: Heard, about: string): string | undefined {
  if (!heard.headers['content-type']?.startsWith('application/json')) return `no JSON: ${about}`
  if (heard.text.length > 2_000) return `a long echo: ${about}`
  const told = JSON.parse(heard.text) as { error?: { type?: string }; status?: string }
  // A path that no route has (an id with a slash in it) speaks the envelope.
  const lost = heard.status === 404 || heard.status === 405
  const compatible = typeof told.error?.type === 'string'
  const envelope = told.status === 'error'
  const fits = { envelope, compatible: compatible && !envelope, both: compatible && envelope }
  return fits[door.dialect] || (lost && envelope) ? undefined : `another dialect: ${about}`
}

/** Nothing that was sent may be read in a log. Short texts stand in any log by chance. */
function tracesIn(world: World): string[] {
  const log = world.fleet.output().join('\n')
  const telling = badTexts(world.canary.url).filter((text) => /^(?!.*\\)[^"\n\\]{14,}$/.test(text))
  const found = telling.filter((text) => log.includes(text))
  return [
    ...found.map((text) => `in a log: ${text.slice(0, 60)}`),
    ...world.secrets.in(log).map((leak) => `a secret in a log: ${leak}`),
    ...world.canary.visits.map((visit) => `a connection to where nobody should go: ${visit}`),
    ...world.fleet.crashes,
  ]
}
