import { openDatabase } from '../../../../src/db/database.ts'
import { silentLog } from '../../../../src/lib/log.ts'
import { openStoredAnswers } from '../../../../src/idempotency/replay-store.ts'
import { uuidv7 } from '../../../../src/lib/ids.ts'
import { openStudio } from '../../../support/models/videos.ts'

/** A replica that takes one job in and works on it, and dies as by kill -9 at the nth time of a step. */
const [databaseUrl, simulatorUrl, apiKey, accountId, key, crashAt] = process.argv.slice(2)
const [step, nth] = crashAt!.split(':')
let reached = 0

const db = openDatabase({ url: databaseUrl!, poolSize: 4, log: silentLog })
const studio = await openStudio({
  db,
  simulators: [{ url: simulatorUrl!, apiKey: apiKey! }],
  onStep(name) {
    if (name !== step || ++reached !== Number(nth)) return undefined
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {}) // nothing more is done while the signal is on its way
  },
})
const storedAnswers = openStoredAnswers({ db, processId: uuidv7() })
const outcome = await storedAnswers.claim({
  accountId: accountId!,
  key: key!,
  route: 'POST /v1/videos',
})
if (outcome.state !== 'claimed') throw new Error(outcome.state)
studio.begin()
console.log(await studio.submit(accountId!, {}, outcome.claim))
