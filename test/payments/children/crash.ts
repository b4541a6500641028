import { openDatabase } from '../../../src/db/database.ts'
import { startBackgroundJobs } from '../../../src/app/job-loop.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { FAST, startPayments } from '../../support/payments.ts'

/** A process of the service that dies, as by kill -9, at the nth time it reaches a step. */
const { CRASH_AT = '', DATABASE, SIMULATOR, PORT, PROVIDER, PHONE, POLL_S } = process.env
const [step, nth = '1'] = CRASH_AT.split(':')
let reached = 0

const service = await startPayments({
  db: openDatabase({ url: DATABASE!, poolSize: 4, log: silentLog }),
  provider: PROVIDER as 'snippe' | 'clickpesa',
  simulator: { url: SIMULATOR! },
  port: Number(PORT),
  phone: PHONE!,
  timing: { ...FAST, pendingS: [Number(POLL_S)] },
  onStep(name) {
    if (name !== step || ++reached !== Number(nth)) return undefined
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {}) // nothing more is done while the signal is on its way
  },
})
startBackgroundJobs(
  [{ name: 'payments', everyMs: 50, run: (signal) => service.payments.reconcile(signal) }],
  silentLog,
)
process.send?.('ready')
