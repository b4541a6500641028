import { endOnSignal } from '../../../src/app/end-on-signal.ts'
import { silentLog } from '../../../src/lib/log.ts'

/** A process whose memory is full for good, or only now and then. */
const forGood = process.argv[2] === 'full'
let looks = 0
endOnSignal(
  silentLog,
  async () => console.log('drained'),
  () => {
    looks += 1
    if (looks === 10) console.log('looked')
    return forGood || looks % 3 !== 0 ? 0.96 : 0.5
  },
)
setInterval(() => {}, 1_000)
