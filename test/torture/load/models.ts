import type { SimulatedModel } from '../../../simulator/models/simulated-models.ts'

const text = { inputs: ['text'], context: 8_192, maxOutput: 100 }

/** Beside the usual models: one whose call always costs three credits, and a vector for one credit. */
export const MODELS: SimulatedModel[] = [
  {
    ...text,
    id: 'sim/fixed',
    name: 'Fixed',
    kind: 'chat',
    outputs: ['text'],
    pricing: { prompt: '0', completion: '0', request: '0.001' },
  },
  {
    ...text,
    id: 'sim/fixed-vector',
    name: 'Fixed vector',
    kind: 'embeddings',
    outputs: ['embeddings'],
    pricing: { prompt: '0.0000001', completion: '0', request: '0.0003333333' },
  },
]
