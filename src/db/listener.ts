import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Log } from '../lib/log.ts'
import { asFailure } from './trouble.ts'

type Hear = (payload: string) => void
type Listener = { add(channel: string, hear: Hear): Promise<void>; stop(): Promise<void> }

/** One connection of its own for LISTEN. It comes back by itself, and says that there was a gap. */
export function startListener(options: { connect: () => Client; log: Log }): Listener {
  const heard = new Map<string, Set<Hear>>()
  const stopping = new AbortController()
  let current: Promise<Client> | undefined

  const connected = () => (current ??= open(() => void comeBack()))

  async function open(onLost: () => void): Promise<Client> {
    const client = options.connect()
    let live = true
    const lose = () => {
      if (!live) return
      live = false
      onLost()
    }
    client.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''))
    client.on('error', lose)
    client.on('end', lose)
    try {
      await client.connect()
      for (const channel of heard.keys()) await client.query(`listen ${quoted(channel)}`)
      return client
    } catch (error) {
      live = false
      current = undefined
      await client.end().catch(() => {})
      throw asFailure(error)
    }
  }

  async function comeBack(): Promise<void> {
    current = undefined
    if (stopping.signal.aborted) return
    options.log.warn('The database listener lost its connection.')
    for (let waitMs = 100; !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, 5_000)) {
      try {
        await connected()
        for (const channel of heard.keys()) tell(channel, '')
        return
      } catch {
        // The server is still away: the next round tries again.
        await sleep(waitMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
      }
    }
  }

  function tell(channel: string, payload: string): void {
    for (const hear of heard.get(channel) ?? []) hear(payload)
  }

  return {
    async add(channel, hear) {
      const hearers = heard.get(channel)
      if (hearers) {
        hearers.add(hear)
        return
      }
      heard.set(channel, new Set([hear]))
      try {
        const running = current
        const client = await connected()
        // A connection opened just now has taken up the channel already.
        if (running !== undefined) await client.query(`listen ${quoted(channel)}`)
      } catch (error) {
        heard.delete(channel)
        throw asFailure(error)
      }
    },
    async stop() {
      stopping.abort()
      const client = await current?.catch(() => undefined)
      await client?.end().catch(() => {})
    },
  }
}

function quoted(channel: string): string {
  return `"${channel.replaceAll('"', '""')}"`
}
