import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'

export type StandIn = { url: string; stop(): Promise<void> }

/** A program that stands in for a provider, on loopback, as soon as it answers. */
export async function startStandIn(
  command: string,
  args: (port: string) => string[],
): Promise<StandIn> {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const child = spawn(command, args(port), { stdio: 'ignore' })
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  await eventually(`${command} answers`, answers).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { url, stop }
}
