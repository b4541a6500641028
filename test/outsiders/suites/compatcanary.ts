import { join } from 'node:path'
import { npmPackages } from '../packages.ts'
import { outputOf } from '../program.ts'
import { withService } from '../service.ts'
import type { Suite } from '../suite.ts'

type Report = { results: { id: string; status: string; summary: string }[] }

export const compatcanary: Suite = {
  name: 'compatcanary',
  async run(version) {
    const program = join(await npmPackages(`compatcanary@${version}`), 'compatcanary/src/cli.js')
    return withService(async ({ base, key }) => {
      const target = ['--base-url', base, '--model', 'sim/macho']
      const args = [program, 'scan', ...target, '--format', 'json', '--fail-on', 'never']
      const output = await outputOf(process.execPath, args, { env: { OPENAI_API_KEY: key } })
      const { results } = JSON.parse(output) as Report
      return results.map(({ id, status, summary }) =>
        status === 'pass' ? { name: id } : { name: id, failure: summary },
      )
    })
  },
}
