import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { throughPort, type Address } from '../../support/peers/database-address.ts'

export type FaultProxy = {
  port: number
  /** The address through the proxy's port. */
  in(url: string): string
  /** Delays every piece of data by so much; 0 ends it. */
  slow(ms: number): void
  /** Holds that clients send arrive so much later, also when their sender has given up by then. */
  delayHolds(ms: number): void
  /** Passes nothing on and closes nothing, until `heal`. */
  hold(): void
  /** Resets every connection; new ones are accepted. */
  reset(): void
  /** Breaks every connection and refuses new ones, until `heal`. */
  cut(): Promise<void>
  heal(): Promise<void>
  /**
   * The answers to the next `count` commits never arrive, although the commits are done. The
   * connection breaks after `silentMs`.
   */
  swallowCommits(count: number, silentMs?: number): void
  /** How many connections and commits a fault disturbed. */
  readonly effects: {
    reset: number
    held: number
    slowed: number
    late: number
    refusedS: number
    swallowed: number
  }
  close(): Promise<void>
}

/** What `client.query('commit')` puts at the end of a write, and how the server answers it. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1')
const COMMITTED = ['COMMIT\0', 'ROLLBACK\0']
/** A checked write outside a transaction commits itself. It is sent once, and then by its name. */
const CHECKED_WRITE = /(m_[\w-]{22})\0with [^\0]* from preconditions_hold where ok\0/g
/** What is sent of a new hold. */
const HOLD = '"process":'
const WRITTEN = ['SELECT 1\0', 'SELECT 0\0']

type Pair = {
  near: Socket
  far: Socket
  /** What ends the answers that it is not to hear. */
  deafUntil: string[] | undefined
  held: boolean
  last: Map<Socket, number>
  /** Pieces of data on their way to the server, whose side stays until they have arrived. */
  late: number
}

/** Stands between clients and a server, and breaks their connections in every way they can break. */
export async function faultProxy(target: Address): Promise<FaultProxy> {
  const pairs = new Set<Pair>()
  const writes = new Set<string>()
  const effects = { reset: 0, held: 0, slowed: 0, late: 0, refusedS: 0, swallowed: 0 }
  let delayMs = 0
  let lateMs = 0
  let holding = false
  let toSwallow = 0
  let silentMs = 0
  let cutAt: number | undefined
  let server: Server
  let port = 0

  const pass = (pair: Pair, to: Socket, bytes: Buffer) => {
    if (holding || pair.held) {
      if (!pair.held) effects.held += 1
      pair.held = true
      return
    }
    // Later bytes wait for earlier ones, also when the delay has ended.
    const waiting = (pair.last.get(to) ?? 0) - performance.now()
    if (delayMs === 0 && waiting <= 0) {
      to.write(bytes)
      return
    }
    effects.slowed += 1
    const afterMs = Math.max(delayMs, waiting)
    pair.last.set(to, performance.now() + afterMs)
    setTimeout(() => to.write(bytes), afterMs)
  }
  const passLate = (pair: Pair, bytes: Buffer, afterMs: number) => {
    effects.late += 1
    pair.late += 1
    const waiting = (pair.last.get(pair.far) ?? 0) - performance.now()
    pair.last.set(pair.far, performance.now() + Math.max(afterMs, waiting))
    setTimeout(
      () => {
        pair.late -= 1
        pair.far.write(bytes)
        if (pair.late === 0 && pair.near.destroyed) pair.far.end()
      },
      Math.max(afterMs, waiting),
    )
  }
  const serve = (near: Socket) => {
    const far = connect(target)
    const pair: Pair = { near, far, deafUntil: undefined, held: false, last: new Map(), late: 0 }
    pairs.add(pair)
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        if (pair.late > 0 && socket === near) return
        far.destroy()
        pairs.delete(pair)
      })
    }
    near.on('data', (bytes) => {
      const end = endOfCommit(bytes, writes)
      if (toSwallow > 0 && end !== undefined) {
        toSwallow -= 1
        pair.deafUntil = end
      }
      if (pair.late > 0) passLate(pair, bytes, 0)
      else if (lateMs > 0 && bytes.includes(HOLD)) passLate(pair, bytes, lateMs)
      else pass(pair, far, bytes)
    })
    far.on('data', (bytes) => {
      if (pair.deafUntil === undefined) return pass(pair, near, bytes)
      if (!pair.deafUntil.some((answer) => bytes.includes(answer))) return
      effects.swallowed += 1
      setTimeout(() => near.resetAndDestroy(), silentMs)
    })
  }
  const reset = () => {
    for (const { near, far } of pairs) {
      effects.reset += 1
      near.resetAndDestroy()
      // Perhaps a Unix socket, which knows no reset.
      far.destroy()
    }
  }
  const open = async () => {
    server = createServer(serve)
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  await open()
  return {
    port,
    effects,
    in: (url) => throughPort(url, port),
    slow: (ms) => void (delayMs = ms),
    delayHolds: (ms) => void (lateMs = ms),
    hold: () => void (holding = true),
    reset,
    async cut() {
      if (cutAt !== undefined) return
      cutAt = performance.now()
      const closed = once(server, 'close')
      server.close()
      reset()
      await closed
    },
    async heal() {
      delayMs = 0
      lateMs = 0
      holding = false
      toSwallow = 0
      for (const pair of pairs) if (pair.held) pair.near.destroy()
      if (cutAt === undefined) return
      effects.refusedS += (performance.now() - cutAt) / 1_000
      cutAt = undefined
      await open()
    },
    swallowCommits(count, silent = 0) {
      toSwallow += count
      silentMs = silent
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
      if (cutAt === undefined) await new Promise((done) => server.close(done))
    },
  }
}

/** How the server answers the commit in this, if there is one. `writes` are the names known so far. */
function endOfCommit(bytes: Buffer, writes: Set<string>): string[] | undefined {
  if (bytes.subarray(-COMMIT.length).equals(COMMIT)) return COMMITTED
  for (const [, name] of bytes.toString('latin1').matchAll(CHECKED_WRITE)) writes.add(name!)
  return [...writes].some((name) => bytes.includes(`\0${name}\0`)) ? WRITTEN : undefined
}
