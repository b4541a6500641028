import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startModelSimulator, type ModelSimulator } from '../../simulator/models/server.ts'
import { Failure } from '../../src/lib/failure.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openUpstreams } from '../../src/upstream/upstreams.ts'
import { readUpstreams } from '../../src/upstream/upstreams-file.ts'
import type { Upstreams } from '../../src/upstream/work.ts'

/* Two upstreams with the same models; operators take one or both out of use. */

const NAMES = ['first', 'second'] as const
const simulators = {} as Record<(typeof NAMES)[number], ModelSimulator>
let upstreams: Upstreams
before(async () => {
  for (const name of NAMES) simulators[name] = await startModelSimulator()
  const entries = NAMES.map((name, priority) => ({
    name,
    type: 'openrouter',
    base_url: simulators[name].url,
    api_key_env: 'KEY',
    priority,
  }))
  upstreams = openUpstreams({
    upstreams: readUpstreams({ upstreams: entries }, { KEY: simulators.first.apiKey }),
    log: silentLog,
  })
})
after(async () => {
  await upstreams.close()
  for (const name of NAMES) await simulators[name].close()
})

const targetsOf = (model: string) => NAMES.map((upstream) => ({ upstream, model }))
const chat = {
  body: { model: 'sim/hekima-mini', messages: [{ role: 'user', content: 'Habari?' }] },
  stream: false,
  ours: { id: 'chatcmpl-1', model: 'sim/hekima-mini', created: 1 },
}
const talk = () => upstreams.call(targetsOf('sim/hekima-mini'), 'chat', chat)
const asked = () => NAMES.map((name) => simulators[name].log.count({ route: '/chat/completions' }))

describe('draining', () => {
  it('what is drained is not asked; undrained, it is again', async () => {
    upstreams.drain(new Set(['first']))
    const [first] = asked()
    await talk()
    assert.equal(asked()[0], first)
    assert.deepEqual(
      upstreams.order(targetsOf('sim/hekima-mini'), 'chat').map((one) => one.upstream),
      ['second'],
    )
    upstreams.drain(new Set())
    await talk()
    assert.equal(asked()[0], first! + 1)
  })

  it('nobody left: 503 and when to come back, and nobody is asked', async () => {
    upstreams.drain(new Set(NAMES))
    const before = asked()
    await assert.rejects(talk(), (error: unknown) => {
      assert.ok(error instanceof Failure)
      assert.deepEqual([error.kind, error.retryAfterS], ['unavailable', 60])
      return true
    })
    assert.deepEqual(asked(), before)
    assert.deepEqual(upstreams.health(), {
      healthy: false,
      upstreams_total: 2,
      upstreams_healthy: 0,
    })
    upstreams.drain(new Set())
  })

  it('an operator can still ask one that is drained', async () => {
    upstreams.drain(new Set(['second']))
    const target = { upstream: 'second', model: 'sim/hekima-mini' }
    assert.ok((await upstreams.ask(target, 'chat', chat)).text.length > 0)
    upstreams.drain(new Set())
  })

  it('a job that has begun is followed to its end', async () => {
    upstreams.drain(new Set(NAMES))
    const targets = targetsOf('sim/filamu').slice(0, 1)
    assert.deepEqual(upstreams.order(targets, 'videoStatus'), targets)
    assert.deepEqual(upstreams.order(targets, 'videoContent'), targets)
    assert.throws(() => upstreams.order(targets, 'videoStart'), Failure)
    upstreams.drain(new Set())
  })
})
