import { runMlango } from '../../support/command.ts'
import type { Random } from '../load/random.ts'
import type { Fault } from './faults.ts'
import type { World } from './world.ts'

/** How the settings of an operator's shell may differ from those of the processes that serve. */
const OTHER_SETTINGS: readonly Record<string, string>[] = [
  {},
  { RESERVATION_CAP_CREDITS: '1000', DATABASE_POOL: '2' },
  { RESERVATION_CAP_CREDITS: '0.5', MIN_RESERVATION_CREDITS: '1' },
  { SIGNUP_BONUS_CREDITS: '0', LOW_BALANCE_CREDITS: '100000', WORKERS: '4' },
]

/** What operators do by the command line beside the live processes. */
export const OPERATORS: readonly Fault[] = [
  command('operator adjusts', 3, async ({ db }, random) => {
    const [account] = await db.query<{ id: string }>(
      'select id from accounts where deleted_at is null order by md5(id::text || $1) limit 1',
      [String(random.next())],
    )
    const amount = random.pick(['7', '0.000001', '-1', '-0.5', '-40'])
    const why = ['--reason', 'fire', '--operator', 'fire']
    return ['accounts', 'adjust', account!.id, amount, ...why]
  }),
  command('operator audits', 1, async () => ['audit']),
  command('operator reads the catalog', 1, async () => ['catalog', 'sync']),
]

/** Without effect where the database was away, or an account had less than was to be taken. */
function command(
  name: string,
  weight: number,
  argsFor: (world: World, random: Random) => Promise<string[]>,
): Fault {
  return {
    name,
    weight,
    async inject(world, random) {
      const args = await argsFor(world, random).catch(() => undefined)
      if (args === undefined) return false
      const settings = { ...world.env, ...random.pick(OTHER_SETTINGS) }
      const { code, out: printed } = await runMlango(settings, ...args)
      // An audit that came to its end says how the books are; else the database was away.
      if (args[0] === 'audit' && code !== 0 && /^The books /m.test(printed)) {
        world.findings.push(printed)
      }
      return code === 0
    },
  }
}
