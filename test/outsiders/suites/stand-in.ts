import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../../support/free-port.ts'

export type StandIn = { url: string; stop(): Promise<void> }

/** A program that stands in for a provider, on loopback; it listens when it has said so. */
export async function startStandIn(
  command: string,
  args: (port: string) => string[],
): Promise<StandIn> {
  const port = String(await freePort())
  const child = spawn(command, args(port), { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const said = [child.stdout, child.stderr].map((input) => heard(createInterface({ input })))
  await Promise.race([...said, ended.then(() => Promise.reject(new Error(`${command} ended`)))])
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function heard(lines: ReturnType<typeof createInterface>): Promise<void> {
  return new Promise((done) => {
    lines.on('line', (line) => {
      if (/listening/i.test(line)) done()
    })
  })
}
