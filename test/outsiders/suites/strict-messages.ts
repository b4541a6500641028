import { join } from 'node:path'
import { pythonPackages } from '../packages.ts'
import { outputOf } from '../program.ts'
import { withService } from '../service.ts'
import type { Outcome, Suite } from '../suite.ts'

const PROGRAM = join(import.meta.dirname, '../python/strict_messages.py')

/** The models of Anthropic's SDK for Python, made to refuse what they do not know. */
export const strictMessages: Suite = {
  name: 'anthropic-models',
  async run(version) {
    const programs = await pythonPackages(`anthropic==${version}`)
    return withService(async ({ url, key }) => {
      const args = [PROGRAM, url, key, 'sim/macho']
      return JSON.parse(await outputOf(join(programs, 'python'), args)) as Outcome[]
    })
  },
}
