import { join } from 'node:path'
import { npmPackages } from '../packages.ts'
import { outputOf } from '../program.ts'
import { withService } from '../service.ts'
import type { Outcome, Suite } from '../suite.ts'

const BUN = `bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`
const PACKAGES = [`@oven/${BUN}@1.4.4`, 'zod@3.25.76']
const NEEDS = 'OPEN_RESPONSES_DIR'

type Report = { results: { id: string; status: string; errors?: string[] }[] }

/** The compliance tests of Open Responses, from a checkout; they run as they are. */
export const openResponses: Suite = {
  name: 'open-responses',
  needs: NEEDS,
  async run() {
    const modules = await npmPackages(...PACKAGES)
    const bun = join(modules, '@oven', BUN, 'bin/bun')
    return withService(async ({ base, key }) => {
      const args = ['run', 'bin/compliance-test.ts', '--json', '-u', base, '-k', key]
      const place = { cwd: process.env[NEEDS]!, env: { NODE_PATH: modules } }
      const output = await outputOf(bun, [...args, '-m', 'sim/macho'], place)
      const { results } = JSON.parse(output) as Report
      return results.map(outcome)
    })
  },
}

function outcome({ id, status, errors = [] }: Report['results'][number]): Outcome {
  return status === 'passed' ? { name: id } : { name: id, failure: errors.join('; ') || status }
}
