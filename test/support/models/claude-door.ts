import { FAULTS } from '../../../simulator/models/faults/faults.ts'

/** A model of an upstream that speaks Anthropic's dialect: the simulator, under another name. */
export const CLAUDE_DOOR = {
  id: 'anthropic/claude-door-4.5',
  upstream_id: 'sim/hekima',
  name: 'Claude Door 4.5',
  created: 1_760_000_000,
  context_length: 131_072,
  max_output_tokens: 8_192,
  input_modalities: ['text', 'image', 'file'],
  supported_parameters: ['max_tokens', 'temperature', 'tools', 'reasoning'],
  pricing: {
    prompt: '0.000003',
    completion: '0.000015',
    input_cache_read: '0.0000003',
    input_cache_write: '0.00000375',
    input_cache_write_1h: '0.000006',
  },
}

/** `anthropic/fault-reset`: one for each fault of the simulator. */
const faulty = Object.keys(FAULTS).map((fault) => ({
  ...CLAUDE_DOOR,
  id: `anthropic/fault-${fault}`,
  upstream_id: `sim/fault-${fault}`,
}))

/** Members of an upstream's entry, for `startApp`. */
export const ANTHROPIC_UPSTREAM = {
  type: 'anthropic',
  sync: false,
  models: [CLAUDE_DOOR, ...faulty],
}
