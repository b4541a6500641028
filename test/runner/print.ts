import type { FileReport } from './crew.ts'
import type { TestResult } from './messages.ts'

const SIGNS = { pass: '✔', fail: '✖', cancelled: '✖', skipped: '﹣', todo: '…' }

/** The tests of one file, once it is over. */
export function printFile({ file, wallMs, cpuMs, lines }: FileReport): void {
  console.log(`${file} (${seconds(wallMs)} s, processor ${seconds(cpuMs)} s)`)
  for (const line of lines) {
    const indent = '  '.repeat(line.depth)
    if ('note' in line) console.log(`${indent}ℹ ${line.note}`)
    else if (line.depth > 0 || line.error) console.log(indent + headOf(line))
    if ('error' in line && line.error) console.log(line.error.replaceAll(/^/gm, `${indent}  `))
  }
}

function headOf({ outcome, name, ms }: TestResult): string {
  return `${SIGNS[outcome]} ${name} (${Math.round(ms)} ms)`
}

/** The slowest files, what failed, and how many tests there were. */
export function printSummary(reports: FileReport[], wallMs: number, cpuMs: number): void {
  if (reports.length > 10) printSlowest(reports)
  printFailures(reports)
  const tests = reports.flatMap(testsOf)
  const count = (outcome: TestResult['outcome']) =>
    tests.filter((one) => one.outcome === outcome).length
  console.log(`\nℹ files ${reports.length}`)
  console.log(`ℹ tests ${tests.length}`)
  for (const outcome of ['pass', 'fail', 'cancelled', 'skipped', 'todo'] as const) {
    console.log(`ℹ ${outcome} ${count(outcome)}`)
  }
  console.log(`ℹ ${seconds(wallMs)} s, processor ${seconds(cpuMs)} s`)
}

function printSlowest(reports: FileReport[]): void {
  console.log('\nThe slowest files:\n\n| File | Wall s | Processor s |\n|---|---|---|')
  for (const { file, wallMs, cpuMs } of reports
    .toSorted((a, b) => b.cpuMs - a.cpuMs)
    .slice(0, 25)) {
    console.log(`| ${file} | ${seconds(wallMs)} | ${seconds(cpuMs)} |`)
  }
}

function printFailures(reports: FileReport[]): void {
  for (const { file, lines } of reports) {
    for (const line of lines) {
      if ('note' in line || line.error === undefined) continue
      console.log(`\n✖ ${file}: ${line.name}\n${line.error.replaceAll(/^/gm, '  ')}`)
    }
  }
}

export function hasFailed({ lines }: FileReport): boolean {
  return lines.some((line) => 'outcome' in line && /fail|cancelled/.test(line.outcome))
}

function testsOf({ lines }: FileReport): TestResult[] {
  return lines.filter((line) => 'outcome' in line && !line.isSuite) as TestResult[]
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1)
}
