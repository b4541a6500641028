import { parseArgs } from 'node:util'
import { startModelSimulator } from './models/server.ts'

/** The simulated model provider on its own: `node bin/run.mjs simulator/main.ts --port 9400`. */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9400' },
    key: { type: 'string', default: 'sim-key' },
    faults: { type: 'boolean', default: false },
  },
})
const simulator = await startModelSimulator({
  port: Number(values.port),
  apiKey: values.key,
  faults: values.faults,
  latency: { firstMs: 150, pieceMs: 25, videoMs: 8_000 },
})
console.log(`Model simulator at ${simulator.url}, ${simulator.models.size} models`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void simulator.close())
