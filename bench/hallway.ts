import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fastify, type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ProcessCounter } from '../src/http/limits/process-counter.ts'
import { route } from '../src/http/route.ts'
import { buildServer, type Server } from '../src/http/server.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { measure } from './load.ts'
import type { Bench, Row } from './row.ts'

const ROUNDS = 10
const SECONDS = 0.7
const CONNECTIONS = 32

/** The HTTP layer (`src/http`) with an empty handler against a bare Fastify that sends the same body. */
export const hallway: Bench = {
  name: 'hallway',
  async run() {
    const [ours, bare] = [ourServer(), bareServer()]
    await Promise.all([ours.listen(ANY_PORT), bare.listen(ANY_PORT)])
    const ports = { ours: portOf(ours.http), bare: portOf(bare.server) }
    try {
      return [
        ...(await compare('empty handler', get, ports, 0.8)),
        // Beyond what bare Fastify does: credential, rate limit, schema, rate-limit headers.
        ...(await compare('paid route', post, ports)),
      ]
    } finally {
      await Promise.all([ours.close(), bare.close()])
    }
  },
}

const get = 'GET /v1/empty HTTP/1.1\r\nHost: bench\r\n\r\n'
const body = JSON.stringify({ model: 'a-model', messages: [{ role: 'user', content: 'Habari?' }] })
const post =
  'POST /v1/empty HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer mlg_bench\r\n' +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

async function compare(
  what: string,
  request: string,
  ports: { ours: number; bare: number },
  atLeast?: number,
): Promise<Row[]> {
  const rates = { ours: [] as number[], bare: [] as number[] }
  const load = { request, connections: CONNECTIONS, seconds: SECONDS }
  // In turns, so that a disturbance affects both; the first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const pair = {
      bare: await measure({ ...load, port: ports.bare }),
      ours: await measure({ ...load, port: ports.ours }),
    }
    if (round === 0) continue
    rates.bare.push(pair.bare)
    rates.ours.push(pair.ours)
  }
  // The best round of each: what else runs on the machine only ever makes a round worse.
  const [bareRate, oursRate] = [Math.max(...rates.bare), Math.max(...rates.ours)]
  const ratio = oursRate / bareRate
  return [
    { what: `bare Fastify: ${what}`, value: bareRate, unit: 'requests/s' },
    {
      what: `hallway: ${what}`,
      value: oursRate,
      unit: 'requests/s',
      ratio: { of: 'bare Fastify', value: ratio, ...(atLeast === undefined ? {} : { atLeast }) },
    },
  ]
}

const ANY_PORT = { host: '127.0.0.1', port: 0 }

function portOf(http: HttpServer): number {
  return (http.address() as AddressInfo).port
}

function ourServer(): Server {
  const shared = { path: '/v1/empty', summary: 'Empty', tag: 'Bench', limit: 'none' } as const
  const empty = { data: {} }
  const principal = { kind: 'key', accountId: 'a', keyId: 'k', workspaceId: 'w' } as const
  return buildServer({
    routes: [
      route({
        ...shared,
        method: 'GET',
        credential: 'none',
        dialect: 'envelope',
        handle: async () => empty,
      }),
      route({
        ...shared,
        method: 'POST',
        credential: 'either',
        dialect: 'compatible',
        limit: 'principal',
        paid: true,
        body: z.looseObject({ model: z.string(), messages: z.array(z.looseObject({})) }),
        handle: async () => empty,
      }),
    ],
    authenticator: { identify: async () => principal },
    limiter: new ProcessCounter(systemClock),
    storedAnswers: {
      claim: async () => ({ state: 'running' }),
      find: async () => undefined,
      store: async () => {},
      free: async () => {},
    },
    config: {
      TRUST_PROXY: false,
      DRAIN_SECONDS: 0,
      RATE_LIMIT_RPM: 1e9,
      RATE_LIMIT_JWT_RPM: 1e9,
      RATE_LIMIT_ACCOUNT_RPM: 1e9,
      MAX_RUNNING_CALLS: 100_000,
      MAX_BODIES_MB: 512,
      ACCOUNT_SHARE_PERCENT: 100,
      ADDRESS_SHARE_PERCENT: 100,
      SLOWEST_BODY_BYTES_PER_S: 1_000,
      AUTH_RATE_LIMIT_RPM: 1e9,
    },
    log: silentLog,
  })
}

function bareServer(): FastifyInstance {
  const server = fastify()
  const enveloped = { status: 'success', code: 200, data: {}, request_id: `req_${'0'.repeat(24)}` }
  server.get('/v1/empty', async () => enveloped)
  server.post('/v1/empty', async () => ({}))
  return server
}
