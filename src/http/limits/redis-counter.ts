import { within, type Clock } from '../../lib/clock.ts'
import { judge, minuteOf, WINDOW_MS, type Slot } from './process-counter.ts'

export type RedisCounter = {
  /** Throws when Redis does not answer in time. */
  take(bucket: string, perMinute: number): Promise<Slot>
  giveBack(bucket: string): void
  isBack(): Promise<boolean>
  close(): void
}

/** A call waits at most this long for Redis; then the process counts by itself. */
const ANSWER_MS = 250
const FIRST_CONNECT_MS = 1_000

/** The same sliding minute, with its two counters in Redis or Valkey. Only INCR, GET and expiry. */
export async function connectRedis(url: string, clock: Clock): Promise<RedisCounter> {
  const client = await newClient(url)
  const connecting = client.connect().catch(() => {})
  await inTime(connecting, FIRST_CONNECT_MS).catch(() => {})

  return {
    async take(bucket, perMinute) {
      const nowMs = clock.now().getTime()
      const minute = minuteOf(nowMs)
      const name = (of: number) => counterName(bucket, of)
      // One round trip: the client sends the commands of one tick together.
      const [counted, , previous] = await inTime(
        Promise.all([
          client.incr(name(minute)),
          client.pExpire(name(minute), 2 * WINDOW_MS),
          client.get(name(minute - 1)),
        ]),
        ANSWER_MS,
      )
      const counts = { previous: Number(previous ?? 0), current: counted - 1 }
      const slot = judge(counts, perMinute, nowMs)
      // Only calls that were let through count, or a caller who keeps trying would stay locked out.
      if (!slot.allowed) client.decr(name(minute)).catch(() => {})
      return slot
    },
    giveBack(bucket) {
      const name = counterName(bucket, minuteOf(clock.now().getTime()))
      // With its expiry: at the turn of a minute this may be what makes the counter.
      client.decr(name).catch(() => {})
      client.pExpire(name, 2 * WINDOW_MS).catch(() => {})
    },
    isBack: () =>
      inTime(client.ping(), ANSWER_MS).then(
        () => true,
        () => false,
      ),
    close: () => client.destroy(),
  }
}

/** The braces keep a bucket's counters on one node of a cluster. */
function counterName(bucket: string, minute: number): string {
  return `mlango:rate:{${bucket}}:${minute}`
}

async function newClient(url: string) {
  const { createClient } = await loadClient()
  const client = createClient({
    url,
    // Counting needs no more than the older protocol, which every server speaks.
    RESP: 2,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: FIRST_CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1_000),
    },
  })
  // A call that gets no answer reports the error; without a listener it would end the process.
  client.on('error', () => {})
  return client
}

async function loadClient() {
  try {
    return await import('@redis/client')
  } catch (cause) {
    throw new Error('REDIS_URL is set, but the optional package @redis/client is not installed.', {
      cause,
    })
  }
}

function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return within(ms, work, () => {
    throw new Error('Redis did not answer in time.')
  })
}
