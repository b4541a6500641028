import { chatModel } from './chat-model.ts'
import type { Loose } from '../loose.ts'

/** What its thoughts must come back with. */
export const DETAILS = [
  {
    type: 'reasoning.text',
    text: 'I need both.',
    signature: 'c2ln',
    format: 'anthropic-claude-v1',
    index: 0,
  },
]
const REASONING = { reasoning: 'I need both.', reasoning_details: DETAILS }

/**
 * A model in OpenAI's format that thinks and calls the first two tools it is offered, their
 * arguments mixed on the wire; then it says what it was told.
 */
export async function toolModel() {
  return chatModel((body) => ({ deltas: deltasFor(body) }))
}

function deltasFor({ messages, tools = [] }: Loose): Loose[] {
  const results = messages.filter(({ role }: Loose) => role === 'tool')
  if (results.length > 0 || tools.length === 0) {
    const told = results.map(({ content }: Loose) => content).join(' and ')
    return [{ ...REASONING }, { content: 'It is ' }, { content: told || 'well.' }]
  }
  const calls: Loose[] = tools.slice(0, 2).map((tool: Loose, index: number) => ({
    index,
    // Some servers give every call the same id.
    id: 'functions:0',
    function: { name: tool.function.name, arguments: argumentsFor(tool.function) },
  }))
  const half = ({ index, function: { arguments: all } }: Loose, from: number, to?: number) => ({
    tool_calls: [{ index, function: { arguments: all.slice(from, to) } }],
  })
  return [
    { role: 'assistant', ...REASONING },
    { content: 'Let me look.' },
    ...calls.map(({ index, id, function: { name } }) => ({
      tool_calls: [{ index, id: `${id}${index}`, function: { name, arguments: '' } }],
    })),
    ...calls.map((call) => half(call, 0, 4)),
    ...calls.map((call) => half(call, 4)),
  ]
}

function argumentsFor({ parameters }: Loose): string {
  const names = Object.keys(parameters?.properties ?? {})
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, 'Mwanza'])))
}
