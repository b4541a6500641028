import { join } from 'node:path'
import { npmPackages } from '../packages.ts'
import type { Suite } from '../suite.ts'
import { ASKED } from './asked.ts'
import { startStandIn, type StandIn } from './stand-in.ts'
import { throughUpstreams, type Door } from './through-upstreams.ts'

const FIXTURES = join(import.meta.dirname, '../aimock-fixtures.json')
const PLACES = { openai: '/v1', openrouter: '/v1', anthropic: '/v1', gemini: '/v1beta' }
const FAULTS = ['drop', 'malformed', 'disconnect', 'ratelimit']

/** A stand-in for every provider, which we did not write, as our upstream; then with its faults. */
export const aimock: Suite = {
  name: 'aimock',
  async run(version) {
    const modules = await npmPackages(`@copilotkit/aimock@${version}`)
    const program = join(modules, '@copilotkit/aimock/dist/cli.js')
    const start = (...more: string[]) =>
      startStandIn(process.execPath, (port) => [program, '-p', port, '-f', FIXTURES, ...more])
    const sound = await start()
    const faulty = await Promise.all(FAULTS.map((fault) => start(`--chaos-${fault}`, '1')))
    try {
      return await throughUpstreams([...doorsOf(sound), ...faulty.map(faultyDoor)])
    } finally {
      for (const one of [sound, ...faulty]) await one.stop()
    }
  },
}

function doorsOf({ url }: StandIn): Door[] {
  return Object.entries(PLACES).map(([type, path]) => ({
    name: type,
    type,
    base_url: `${url}${path}`,
    asked: ASKED,
  }))
}

function faultyDoor({ url }: StandIn, index: number): Door {
  const asked = ASKED.filter(({ name }) => !/tool/.test(name))
  const name = `faulty-${FAULTS[index]}`
  return { name, type: 'openai', base_url: `${url}/v1`, asked, faulty: true }
}
