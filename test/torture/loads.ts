import { deletionLoad, keyLoad, loginLoad, readLoad } from './account-loads.ts'
import { paidLoad } from './paid-load.ts'
import type { Load } from './player.ts'
import { streamLoad } from './stream-load.ts'
import { topUpLoad } from './topup-load.ts'

const chat = (model: string, weight: number): Load =>
  paidLoad({
    name: weight >= 10 ? 'chat' : `chat ${model}`,
    weight,
    line: 'POST /v1/chat/completions',
    keyed: true,
    body: (mark) => ({ json: { model, messages: [{ role: 'user', content: `Habari ${mark}` }] } }),
    sound: (heard) => heard.text.includes('"choices"'),
  })

/** Everything that happens at once. */
export const LOADS: readonly Load[] = [
  chat('sim/fixed', 30),
  chat('sim/hekima-mini', 10),
  chat('sim/hekima-mini:free', 2),
  chat('sim/fault-status-500', 0.3),
  chat('sim/fault-bad-json', 0.3),
  chat('sim/fault-usage-negative', 0.5),
  chat('sim/fault-usage-huge', 0.5),
  paidLoad({
    name: 'embeddings',
    weight: 30,
    line: 'POST /v1/embeddings',
    keyed: true,
    body: (mark) => ({ json: { model: 'sim/fixed-vector', input: mark, dimensions: 4 } }),
    sound: (heard) => heard.text.includes('"embedding"'),
  }),
  streamLoad,
  topUpLoad,
  loginLoad,
  readLoad,
  keyLoad,
  deletionLoad,
]
