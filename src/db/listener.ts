import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Log } from '../lib/log.ts'
import { sendStatement } from './connection.ts'
import { databaseFailure } from './failure.ts'

type OnNotify = (payload: string) => void
type Listener = { add(channel: string, onNotify: OnNotify): Promise<void>; stop(): Promise<void> }

/** A connection of its own for LISTEN. It reconnects by itself, and reports that there was a gap. */
export function startListener(options: {
  connect: () => Client
  /** How long an answer may take. */
  patienceMs: number
  log: Log
}): Listener {
  const listeners = new Map<string, Set<OnNotify>>()
  const stopping = new AbortController()
  let current: Promise<Client> | undefined

  const connected = () => (current ??= open(() => void reconnect()))

  async function open(onLost: () => void): Promise<Client> {
    const client = options.connect()
    let live = true
    const handleLoss = () => {
      if (!live) return
      live = false
      onLost()
    }
    client.on('notification', ({ channel, payload }) => notify(channel, payload ?? ''))
    client.on('error', handleLoss)
    client.on('end', handleLoss)
    try {
      await client.connect()
      for (const channel of listeners.keys()) await listenTo(client, channel)
      return client
    } catch (error) {
      live = false
      current = undefined
      await client.end().catch(() => {})
      throw databaseFailure(error)
    }
  }

  async function listenTo(client: Client, channel: string): Promise<void> {
    await sendStatement(client, { text: `listen ${quoted(channel)}` }, options.patienceMs)
  }

  async function reconnect(): Promise<void> {
    current = undefined
    if (stopping.signal.aborted) return
    options.log.warn('The database listener lost its connection; it will reconnect.')
    for (let waitMs = 100; !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, 5_000)) {
      try {
        await connected()
        for (const channel of listeners.keys()) notify(channel, '')
        return
      } catch {
        // The server is still away: the next round tries again.
        await sleep(waitMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
      }
    }
  }

  function notify(channel: string, payload: string): void {
    for (const onNotify of listeners.get(channel) ?? []) onNotify(payload)
  }

  return {
    async add(channel, onNotify) {
      const known = listeners.get(channel)
      if (known) {
        known.add(onNotify)
        return
      }
      listeners.set(channel, new Set([onNotify]))
      try {
        const running = current
        const client = await connected()
        // A connection opened just now has taken up the channel already.
        if (running !== undefined) await listenTo(client, channel)
      } catch (error) {
        listeners.delete(channel)
        throw databaseFailure(error)
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
