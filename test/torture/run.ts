import { parseArgs } from 'node:util'
import { fire } from './fire.ts'

/** `npm run torture -- --seconds 900 --seed 42`: the same seed makes the same choices again. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string' },
    replicas: { type: 'string', default: '4' },
    players: { type: 'string', default: '24' },
    quiet: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
console.log(`Seed ${seed}: npm run torture -- --seconds ${values.seconds} --seed ${seed}`)
const report = await fire({
  seed,
  seconds: Number(values.seconds),
  replicas: Number(values.replicas),
  players: Number(values.players),
  people: 15,
  victims: 6,
  paymentsWithinS: 180,
  ...(values.quiet ? {} : { say: (sentence: string) => console.log(`  ${sentence}`) }),
})
console.log(JSON.stringify(report, undefined, 2))
process.exitCode = report.violations.length + report.missed.length > 0 ? 1 : 0
