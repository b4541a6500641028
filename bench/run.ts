import { existsSync, globSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Bench, Row } from './row.ts'

/** `npm run bench`, or `npm run bench -- hallway`. Every bench file exports one or more benches. */
const names = process.argv.slice(2)
const all = await loadBenches()
const unknown = names.filter((name) => !all.some((bench) => bench.name === name))
if (unknown.length > 0) {
  console.error(`There is no benchmark named ${unknown.join(' or ')}. There are:`)
  for (const { name } of all) console.error(`  ${name}`)
  process.exit(2)
}
const benches = names.length === 0 ? all : all.filter(({ name }) => names.includes(name))

const [cpu] = cpus()
console.log(
  `Machine: ${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `${process.platform} ${process.arch}, Node ${process.version}. Compare ratios, not absolute figures.`,
)
let missed = 0
for (const bench of benches) {
  console.log(`\n${bench.name}`)
  const before = processorTicks()
  for (const row of await bench.run()) {
    if (isMissed(row)) missed++
    console.log(`  ${line(row)}`)
  }
  console.log(`  (${takenAway(before, processorTicks())})`)
}
console.log(
  missed === 0 ? '\nEvery ratio reaches its goal.' : `\n${missed} ratios miss their goal.`,
)
process.exit(missed === 0 ? 0 : 1)

type Ticks = { all: number; stolen: number }

/** Of all processors since the machine started; `stolen` is what a virtual one wanted and did not get. */
function processorTicks(): Ticks | undefined {
  if (!existsSync('/proc/stat')) return undefined
  // user, nice, system, idle, waiting, two of interrupts, stolen; what follows is counted already.
  const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/ +/)
  const counted = ticks.slice(0, 8).map(Number)
  return { all: counted.reduce((sum, one) => sum + one, 0), stolen: counted[7] ?? 0 }
}

/** Figures of a run in which much was taken away say little. */
function takenAway(before: Ticks | undefined, after: Ticks | undefined): string {
  if (before === undefined || after === undefined) return 'other load is not known on this system'
  const share = (after.stolen - before.stolen) / Math.max(1, after.all - before.all)
  return `meanwhile other machines on the same host took ${(share * 100).toFixed(1)} % of the processor time`
}

async function loadBenches(): Promise<Bench[]> {
  const found: Bench[] = []
  for (const name of globSync('*.ts', { cwd: import.meta.dirname }).sort()) {
    if (['run.ts', 'row.ts', 'load.ts'].includes(name)) continue
    const exported = (await import(join(import.meta.dirname, name))) as Record<string, unknown>
    found.push(...Object.values(exported).filter(isBench))
  }
  return found
}

function isBench(value: unknown): value is Bench {
  return typeof value === 'object' && value !== null && 'name' in value && 'run' in value
}

function isMissed({ ratio }: Row): boolean {
  if (ratio === undefined) return false
  return ratio.value < (ratio.atLeast ?? -Infinity) || ratio.value > (ratio.atMost ?? Infinity)
}

function line(row: Row): string {
  const figure = row.value.toLocaleString('en', { maximumFractionDigits: row.value < 100 ? 2 : 0 })
  const head = `${row.what.padEnd(48)} ${figure.padStart(12)} ${row.unit}`
  if (row.ratio === undefined) return head
  const { of, value, atLeast, atMost } = row.ratio
  const bounds = [
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ]
  const goal =
    bounds.length === 0 ? '' : ` (${bounds.join(', ')}${isMissed(row) ? ': MISSED' : ''})`
  return `${head}   ${value.toFixed(2)} × ${of}${goal}`
}
