import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../support/free-port.ts'
import { npmPackages } from '../packages.ts'
import type { Suite } from '../suite.ts'
import { throughUpstreams } from './through-upstreams.ts'

const FIXTURES = join(import.meta.dirname, '../aimock-fixtures.json')
const DOORS = [
  { type: 'openai', path: '/v1' },
  { type: 'openrouter', path: '/v1' },
  { type: 'anthropic', path: '/v1' },
  { type: 'gemini', path: '/v1beta' },
]

/** A stand-in for every provider, which we did not write, as our upstream. */
export const aimock: Suite = {
  name: 'aimock',
  async run(version) {
    const modules = await npmPackages(`@copilotkit/aimock@${version}`)
    const program = join(modules, '@copilotkit/aimock/dist/cli.js')
    const port = await freePort()
    const args = ['-h', '127.0.0.1', '-p', String(port), '-f', FIXTURES]
    const mock = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      for await (const line of createInterface({ input: mock.stdout }))
        if (line.includes('listening')) break
      const upstreams = DOORS.map(({ type, path }) => ({
        type,
        base_url: `http://127.0.0.1:${port}${path}`,
      }))
      return await throughUpstreams(upstreams)
    } finally {
      mock.kill('SIGKILL')
      await once(mock, 'close')
    }
  },
}
