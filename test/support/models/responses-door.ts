import { FAULTS } from '../../../simulator/models/faults/faults.ts'

/** A model of an upstream that speaks Responses: the simulator, under another name. */
export const RESPONSES_DOOR = {
  id: 'openai/mlango-5',
  upstream_id: 'sim/hekima',
  name: 'Mlango 5',
  created: 1_760_000_000,
  context_length: 131_072,
  max_output_tokens: 8_192,
  input_modalities: ['text', 'image', 'file'],
  supported_parameters: ['max_tokens', 'temperature', 'tools', 'reasoning'],
  pricing: { prompt: '0.0000025', completion: '0.00001', input_cache_read: '0.00000025' },
}

/** `openai/fault-reset`: one for each fault of the simulator. */
const faulty = Object.keys(FAULTS).map((fault) => ({
  ...RESPONSES_DOOR,
  id: `openai/fault-${fault}`,
  upstream_id: `sim/fault-${fault}`,
}))

/** Members of an upstream's entry, for `startApp`. */
export const RESPONSES_UPSTREAM = {
  type: 'openai',
  responses: true,
  sync: false,
  models: [RESPONSES_DOOR, ...faulty],
}
