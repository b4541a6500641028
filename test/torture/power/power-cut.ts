import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../load/random.ts'
import { chooseCuts } from './choose-cuts.ts'
import { examine } from './examine.ts'
import { liveOnce, type Life } from './life.ts'
import { openRecorder } from './recorder.ts'

export type PowerOptions = {
  seed: number
  /** Lives of a server, each with so many cuts; the next life begins on the disk of the last cut. */
  lives: number
  cutsPerLife: number
  say?: ((sentence: string) => void) | undefined
}

export type PowerReport = {
  seed: number
  cuts: number
  /** Cuts before the first start was over, or while a server recovered from the cut before. */
  cutsWhileStarting: number
  /** Entries acknowledged in all lives; each is looked for after every cut that followed it. */
  acknowledged: number
  /** Written and not synced, in the mean of all cuts. */
  unsyncedKb: number
  /** The same with the safety switched off: it must lose something, or nothing is shown. */
  controls: Record<string, string>
  violations: string[]
}

const CONTROLS: Record<string, Record<string, string>> = {
  'fsync=off': { fsync: 'off' },
  'synchronous_commit=off': { synchronous_commit: 'off' },
}

/**
 * A loss of power: everything a server does to its files is written down, and for moments chosen by
 * chance the folder is made as a disk would hold it, with what was synced and perhaps some sectors
 * of the rest. A server must start on it and know every entry acknowledged before that moment.
 */
export async function powerCut(options: PowerOptions): Promise<PowerReport> {
  const folder = mkdtempSync(join(tmpdir(), 'mlango-power-'))
  try {
    return await run(options, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function run(options: PowerOptions, folder: string): Promise<PowerReport> {
  const { seed, lives, cutsPerLife, say = () => {} } = options
  const random = seededRandom(seed)
  const accounts = Array.from({ length: 20 }, () => randomUUID())
  const from = { folder, recorder: openRecorder(folder), accounts, random }
  const tally = { cuts: 0, cutsWhileStarting: 0, unsynced: 0 }
  const violations: string[] = []

  const whole = await liveOnce({ ...from, end: 'SIGTERM' })
  const differences = whole.differences()
  say(`a life of ${whole.megabytes} MB was written down with ${differences.length} gaps`)
  violations.push(...differences.map((one) => `not written down: ${one}`))
  whole.drop()

  let known: string[] = []
  let before: Life | undefined
  for (let nth = 1; nth <= lives; nth++) {
    const life = await liveOnce({ ...from, before })
    before?.drop()
    before = life
    for (const cut of chooseCuts(life, random, cutsPerLife)) {
      const acknowledged = [...known, ...life.acknowledgedBy(cut.at)]
      const findings = await life.cutAt(cut, (dataDir) => examine(dataDir, acknowledged))
      const about = `life ${nth}, ${cut.moment}, ${acknowledged.length} acknowledged`
      const rest = `${life.unsyncedKb()} kB unsynced of which ${cut.share * 100} % survive`
      say(`${about}, ${rest}: ${findings[0] ?? 'all there'}`)
      violations.push(...findings.map((finding) => `${about}, ${rest}: ${finding}`))
      tally.cuts += 1
      tally.unsynced += life.unsyncedKb()
      if (cut.at < life.readyAt) tally.cutsWhileStarting += 1
    }
    known = [...known, ...life.acknowledgedBy(life.position())]
  }
  before?.drop()

  const controls: PowerReport['controls'] = {}
  for (const [name, settings] of Object.entries(CONTROLS)) {
    const life = await liveOnce({ ...from, settings })
    const cuts = chooseCuts(life, random, cutsPerLife)
    let lost = 0
    for (const cut of cuts) {
      const acknowledged = life.acknowledgedBy(cut.at)
      const findings = await life.cutAt(cut, (dataDir) => examine(dataDir, acknowledged))
      say(`${name}, ${acknowledged.length} acknowledged: ${findings[0] ?? 'all there'}`)
      if (findings.length > 0) lost += 1
    }
    life.drop()
    controls[name] = `${lost} of ${cuts.length} cuts lost something`
    if (lost === 0) violations.push(`nothing is shown: with ${name} nothing was lost`)
  }
  const { cuts, cutsWhileStarting } = tally
  const unsyncedKb = Math.round(tally.unsynced / cuts)
  const acknowledged = known.length
  return { seed, cuts, cutsWhileStarting, acknowledged, unsyncedKb, controls, violations }
}
