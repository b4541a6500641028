import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export type FaultProxy = {
  port: number
  /** The given address with this proxy in its place. */
  in(url: string): string
  /** Each piece of bytes is passed on so much later; 0 ends it. */
  slow(ms: number): void
  /** Passes nothing on and closes nothing, until `heal`. */
  hold(): void
  /** Breaks every connection with a reset; new ones are welcome. */
  reset(): void
  /** Breaks every connection and refuses new ones, until `heal`. */
  cut(): Promise<void>
  heal(): Promise<void>
  /**
   * The answer to the next `count` commits never arrives: done, but nobody was told. The line breaks
   * after `silentMs`.
   */
  swallowCommits(count: number, silentMs?: number): void
  /** How many connections and commits felt a fault. */
  readonly felt: {
    reset: number
    held: number
    slowed: number
    refusedS: number
    swallowed: number
  }
  close(): Promise<void>
}

/** What `client.query('commit')` puts on the wire, behind whatever else, and how it is answered. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1')
const ANSWERS = ['COMMIT\0', 'ROLLBACK\0']

type Pair = {
  near: Socket
  far: Socket
  deaf: boolean
  held: boolean
  last: Map<Socket, number>
}

/** Stands before a server and breaks the line in every way a line can break. */
export async function faultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const pairs = new Set<Pair>()
  const felt = { reset: 0, held: 0, slowed: 0, refusedS: 0, swallowed: 0 }
  let delayMs = 0
  let holding = false
  let toSwallow = 0
  let silentMs = 0
  let cutAt: number | undefined
  let server: Server
  let port = 0

  const pass = (pair: Pair, to: Socket, bytes: Buffer) => {
    if (holding || pair.held) {
      if (!pair.held) felt.held += 1
      pair.held = true
      return
    }
    // Later bytes wait for earlier ones, also when the line has become quick again.
    const waiting = (pair.last.get(to) ?? 0) - performance.now()
    if (delayMs === 0 && waiting <= 0) {
      to.write(bytes)
      return
    }
    felt.slowed += 1
    const afterMs = Math.max(delayMs, waiting)
    pair.last.set(to, performance.now() + afterMs)
    setTimeout(() => to.write(bytes), afterMs)
  }
  const serve = (near: Socket) => {
    const far = connect(target.port, target.host)
    const pair: Pair = { near, far, deaf: false, held: false, last: new Map() }
    pairs.add(pair)
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
        pairs.delete(pair)
      })
    }
    near.on('data', (bytes) => {
      if (toSwallow > 0 && bytes.subarray(-COMMIT.length).equals(COMMIT)) {
        toSwallow -= 1
        pair.deaf = true
      }
      pass(pair, far, bytes)
    })
    far.on('data', (bytes) => {
      if (!pair.deaf) return pass(pair, near, bytes)
      if (!ANSWERS.some((answer) => bytes.includes(answer))) return
      felt.swallowed += 1
      setTimeout(() => near.resetAndDestroy(), silentMs)
    })
  }
  const reset = () => {
    for (const { near, far } of pairs) {
      felt.reset += 1
      near.resetAndDestroy()
      far.resetAndDestroy()
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
    felt,
    in(url) {
      const moved = new URL(url)
      moved.host = `127.0.0.1:${port}`
      return moved.href
    },
    slow: (ms) => void (delayMs = ms),
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
      holding = false
      toSwallow = 0
      for (const pair of pairs) if (pair.held) pair.near.destroy()
      if (cutAt === undefined) return
      felt.refusedS += (performance.now() - cutAt) / 1_000
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
