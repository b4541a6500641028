import { join } from 'node:path'
import { pythonPackages } from '../packages.ts'
import { outputOf } from '../program.ts'
import { withService } from '../service.ts'
import type { Suite } from '../suite.ts'

type Report = { results: { id: string; status: string; errors?: string[] }[] }

const MESSAGES = ['--auth-header', 'x-api-key', '--no-bearer', '-H', 'anthropic-version:2023-06-01']

/** It asks only models with such names to reason. */
const GPT = 'openai/gpt-5-sim'
const CLAUDE = 'anthropic/claude-sonnet-4-sim'

/** One suite for each dialect that it has tests of. */
export const llmComply: Suite[] = [
  suiteOf('llm-comply-chat', ['-m', GPT, '--format', 'openai-chat']),
  suiteOf('llm-comply-messages', ['-m', CLAUDE, '--format', 'anthropic', ...MESSAGES]),
  suiteOf('llm-comply-responses', ['-m', GPT, '--format', 'open-responses']),
]

const upstream = {
  type: 'openai',
  sync: false,
  models: [GPT, CLAUDE].map((id) => ({
    id,
    upstream_id: 'sim/macho',
    pricing: { prompt: '0.000001', completion: '0.00001' },
    context_length: 100_000,
    max_output_tokens: 8_000,
    input_modalities: ['text', 'image'],
    supported_parameters: ['max_tokens', 'tools', 'tool_choice', 'response_format', 'reasoning'],
  })),
}

function suiteOf(name: string, options: string[]): Suite {
  return {
    name,
    async run(version) {
      const programs = await pythonPackages(`llm-comply==${version}`)
      return withService(
        async ({ base, key }) => {
          const args = ['--json', '-u', base, '-k', key, ...options]
          const { results } = JSON.parse(
            await outputOf(join(programs, 'llm-comply'), args),
          ) as Report
          return results.map(({ id, status, errors = [] }) =>
            status === 'passed' ? { name: id } : { name: id, failure: errors.join('; ') || status },
          )
        },
        { upstream },
      )
    },
  }
}
