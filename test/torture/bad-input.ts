import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenApi } from '../../src/http/docs/openapi-document.ts'
import { callService, type ClientCall, type ClientAnswer } from './load/client.ts'
import { badBodies, badCredentials, badTexts } from './rig/bad-texts.ts'
import { seededRandom, type Random } from './load/random.ts'
import {
  operationsOf,
  withValue,
  sampleOf,
  stringFields,
  type Operation,
} from './rig/operations.ts'
import { runInParallel } from './load/in-parallel.ts'
import { newPerson, type Person } from './load/person.ts'
import { rawGarbage } from './rig/raw-garbage.ts'
import type { World } from './rig/world.ts'

export type BadInputReport = {
  operations: number
  fields: number
  inputs: number
  longestTurnMs: number
  statuses: Record<string, number>
  violations: string[]
}

/** One call to make. `must`: the statuses that it may be answered with. */
type Trial = {
  operation: Operation
  call: ClientCall
  must?: ((status: number) => boolean) | undefined
  what: string
}

/**
 * Every operation of the service's own document: bad texts in every string field, in the path and in
 * the query; broken JSON as the whole body; credentials that are almost right; bytes that are not
 * HTTP. `share` is how many of all these are sent, chosen by the seed.
 */
export async function badInput(
  world: World,
  options: { seed: number; share: number },
): Promise<BadInputReport> {
  const random = seededRandom(options.seed)
  const { url } = world.fleet.slots[0]!
  const asha = await newPerson(world, '100000000', 500)
  // For routes that end the credential they are called with.
  const doomed = await newPerson(world, '10', 501)
  const document = JSON.parse(
    (await callService(url, { endpoint: 'GET /v1/openapi.json' })).text,
  ) as OpenApi
  const operations = operationsOf(document)
  const trials = trialsFor(operations, { random, asha, doomed, canaryUrl: world.canary.url })
  const chosen = trials.filter(({ operation }) => random.chance(options.share * costOf(operation)))
  const statuses: Record<string, number> = {}
  const violations: string[] = []
  await runInParallel(chosen, 12, async (trial) => {
    const answer = await patientCall(url, trial.call)
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    const sentence = judge(trial, answer)
    if (sentence !== undefined && violations.length < 50) violations.push(sentence)
  })
  violations.push(...(await rawGarbage(url, asha.key)))
  const health = await callService(url, { endpoint: 'GET /healthz' })
  if (health.status !== 200) violations.push(`/healthz answers ${health.status} afterwards`)
  const { longestTurnMs } = await world.fleet.figures()
  if (longestTurnMs > 250) violations.push(`a turn of the event loop took ${longestTurnMs} ms`)
  return {
    operations: operations.length,
    fields: operations.reduce(
      (sum, operation) => sum + (operation.json ? stringFields(operation.json).length : 0),
      0,
    ),
    inputs: chosen.length,
    longestTurnMs: Math.round(longestTurnMs),
    statuses,
    violations: [...violations, ...(await deadlocksIn(world)), ...tracesIn(world)],
  }
}

/**
 * On a machine that is busy, a database may answer too late, which is a 503 that asks to be tried
 * again. A client does so; it is a violation when the answer is still the same after a minute.
 */
async function patientCall(url: string, call: ClientCall): Promise<ClientAnswer> {
  const untilMs = performance.now() + 60_000
  for (;;) {
    const answer = await callService(url, { patienceMs: 60_000, ...call })
    const waitS = Number(answer.headers['retry-after'])
    if (answer.status !== 503 || !(waitS > 0) || performance.now() > untilMs) return answer
    await sleep(waitS * 1_000)
  }
}

/** Two transactions that waited for each other: no machine is too slow for that. */
async function deadlocksIn({ db }: World): Promise<string[]> {
  const [row] = await db.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  return row!.deadlocks === 0n ? [] : [`${row!.deadlocks} deadlocks in the database`]
}

type People = { random: Random; asha: Person; doomed: Person; canaryUrl: string }

function trialsFor(operations: Operation[], people: People): Trial[] {
  const texts = badTexts(people.canaryUrl)
  const bodies = badBodies()
  return operations.flatMap((operation) => [
    ...(operation.json === undefined ? [] : inFields(operation, texts, people)),
    ...(operation.json === undefined ? [] : asBodies(operation, bodies, people)),
    ...operation.parameters.flatMap((parameter) =>
      inParameter(operation, parameter, texts, people),
    ),
    ...asCredentials(operation, people),
  ])
}

function inFields(operation: Operation, texts: string[], people: People): Trial[] {
  return stringFields(operation.json!).flatMap((field) => {
    const sample = sampleOf(operation.json!, field)
    const shapes: unknown[] = [[], {}, 7, null, true, ['x'], { $gt: '' }]
    return [...texts, ...shapes].map((value) => ({
      operation,
      what: `${field.join('.')} = ${JSON.stringify(value).slice(0, 80)}`,
      call: { ...head(operation, people), body: withValue(sample, field, value) },
    }))
  })
}

function asBodies(
  operation: Operation,
  bodies: ReturnType<typeof badBodies>,
  people: People,
): Trial[] {
  return bodies.map(({ name, bytes, must }) => {
    const call = head(operation, people)
    const headers = { ...call.headers, 'content-type': 'application/json' }
    const refused = (status: number) => status >= 400 && status < 500
    return {
      operation,
      what: name,
      call: { ...call, raw: bytes, headers },
      must: must && bytes.length > 0 ? refused : undefined,
    }
  })
}

function inParameter(
  operation: Operation,
  parameter: Operation['parameters'][number],
  texts: string[],
  people: People,
) {
  return texts
    .filter((text) => text.isWellFormed() && text !== '' && text.length < 3_000)
    .map((text): Trial => {
      const call = head(operation, people, { [parameter.name]: text })
      const what = `${parameter.in} ${parameter.name} = ${JSON.stringify(text).slice(0, 80)}`
      const body = operation.json === undefined ? {} : { body: sampleOf(operation.json) }
      return { operation, what, call: { ...call, ...body } }
    })
}

function asCredentials(operation: Operation, people: People): Trial[] {
  if (operation.credentials.length === 0) return []
  const body = operation.json === undefined ? {} : { body: sampleOf(operation.json) }
  return badCredentials(people.asha).map((token) => ({
    operation,
    what: `the credential ${token.slice(0, 60)}`,
    call: { ...head(operation, people), ...body, token },
    must: (status) => status === 401 || status === 404,
  }))
}

/** The call with its parameters filled in; mostly with the credential that the route wants. */
function head(
  operation: Operation,
  people: People,
  values: Record<string, string> = {},
): ClientCall {
  const { random, asha, doomed } = people
  let path = operation.path
  const query = new URLSearchParams()
  for (const { name, in: where } of operation.parameters) {
    const text = values[name] ?? '01900000-0000-7000-8000-000000000001'
    if (where === 'path') path = path.replace(`{${name}}`, encodeURIComponent(text))
    else if (where === 'query' && values[name] !== undefined) query.set(name, text)
  }
  const person =
    /logout|\/v1\/me$/.test(operation.path) && operation.method !== 'GET' ? doomed : asha
  const wanted = operation.credentials.length > 0 ? random.pick(operation.credentials) : undefined
  const kind = random.chance(0.9) ? wanted : random.pick(['key', 'jwt'] as const)
  const token = kind === undefined ? undefined : kind === 'key' ? person.key : person.token
  const suffix = query.size > 0 ? `?${query.toString()}` : ''
  const headers = headersIn(operation, values)
  return { endpoint: `${operation.method} ${path}${suffix}`, token, headers }
}

function headersIn(operation: Operation, values: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { name, in: where } of operation.parameters) {
    const text = values[name]
    if (where !== 'header' || text === undefined) continue
    // What no client can put into a header is not tried here but on the raw socket.
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) headers[name.toLowerCase()] = text
  }
  return headers
}

/** Registration and resets hash a password each: fewer of those. */
function costOf({ path, method }: Operation): number {
  if (method === 'DELETE' && path === '/v1/me') return 0
  if (/auth\/(register|login|password)/.test(path)) return 0.1
  return /videos$|images|videos\/\{/.test(path) ? 0.3 : 1
}

function judge({ operation, call, must, what }: Trial, answer: ClientAnswer): string | undefined {
  const about = `${call.endpoint.slice(0, 100)}, ${what} → ${answer.status} ${answer.text.slice(0, 200)}`
  if (!answer.whole) return `no answer: ${about}`
  if (answer.status >= 500 && !isUpstreamsRefusal(answer)) return `5xx: ${about}`
  if (must?.(answer.status) === false) return `another status was expected: ${about}`
  if (!answer.headers['x-request-id']?.startsWith('req_')) return `no request id: ${about}`
  if (answer.headers['x-content-type-options'] !== 'nosniff') return `no nosniff header: ${about}`
  return answer.status < 400 ? undefined : judgeFailure(operation, answer, about)
}

/** A request that the model provider refused is answered 502 with this code. */
function isUpstreamsRefusal({ status, text }: ClientAnswer): boolean {
  return status === 502 && text.includes('"upstream_rejected"')
}

function judgeFailure(
  operation: Operation,
  answer: ClientAnswer,
  about: string,
): string | undefined {
  if (!answer.headers['content-type']?.startsWith('application/json')) return `no JSON: ${about}`
  if (answer.text.length > 2_000) return `a long error body: ${about}`
  const body = JSON.parse(answer.text) as {
    type?: string
    error?: { type?: string }
    status?: string
  }
  // A path that no route has (an id with a slash in it) is answered in the envelope.
  const lost = answer.status === 404 || answer.status === 405
  const compatible = typeof body.error?.type === 'string'
  const envelope = body.status === 'error'
  const fits = {
    envelope,
    compatible: compatible && !envelope,
    both: compatible && envelope,
    messages: compatible && body.type === 'error',
  }
  return fits[operation.dialect] || (lost && envelope) ? undefined : `wrong error format: ${about}`
}

/** Nothing that was sent may be found in a log; short texts are left out, they occur by chance. */
function tracesIn(world: World): string[] {
  const log = world.fleet.output().join('\n')
  const distinctive = badTexts(world.canary.url).filter((text) =>
    /^(?!.*\\)[^"\n\\]{14,}$/.test(text),
  )
  const found = distinctive.filter((text) => log.includes(text))
  return [
    ...found.map((text) => `in a log: ${text.slice(0, 60)}`),
    ...world.secrets.in(log).map((leak) => `a secret in a log: ${leak}`),
    ...world.canary.visits.map((visit) => `a connection to the canary: ${visit}`),
    ...world.fleet.crashes,
  ]
}
