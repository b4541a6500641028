import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { silentLog } from '../../src/lib/log.ts'
import { openTraces } from '../../src/observability/traces.ts'
import { startOtlp } from '../support/peers/otlp.ts'
import { eventually } from '../support/eventually.ts'

let status = 400
const receiver = await startOtlp((response) => void response.writeHead(status).end('{}'))
after(() => receiver.close())

test('the log says once that traces are refused, and once that they are taken again', async () => {
  const lines: string[] = []
  const note = (line: string) => void lines.push(line)
  const log = { ...silentLog, info: note, warn: note }
  const settings = { OTEL_SERVICE_NAME: 'mlango', OTEL_TRACES_SAMPLER_ARG: 1 }
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/collector` }
  const { tracer, close } = await openTraces({ ...settings, ...endpoint }, log)
  const sendOne = async () => {
    const before = receiver.bodies.length
    tracer.request(undefined, { route: 'GET /v1/models', requestId: 'req_1' })!.end()
    await eventually('the trace is sent', () => receiver.bodies.length > before)
  }
  const told = (sentence: string) => lines.filter((line) => line === sentence).length
  await sendOne()
  await sendOne()
  status = 200
  await sendOne()
  await close()
  assert.equal(told('Traces cannot be sent.'), 1)
  assert.equal(told('Traces are sent again.'), 1)
  assert.match(receiver.bodies[0]!, /^POST \/collector\/v1\/traces\n/)
})

test('a share of the calls is followed, whatever their callers ask for', async () => {
  const about = { route: 'POST /v1/chat/completions', requestId: 'req_1' }
  const origin = 'https://models.example'
  const attempt = { upstream: 'a', provider: 'openai', model: 'm', work: 'chat', origin }
  // Its id would fall into any share, if that were chosen by the id.
  const caller = '00-00000000000000000000000000000001-b7ad6b7169203331'
  for (const [share, flag] of [
    [0, '00'],
    [1e-9, '00'],
    [1, '01'],
  ] as const) {
    const settings = { OTEL_SERVICE_NAME: 'mlango', OTEL_TRACES_SAMPLER_ARG: share }
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
    const { tracer, close } = await openTraces({ ...settings, ...endpoint }, silentLog)
    const passed = [undefined, `${caller}-01`, `${caller}-00`].map((traceparent) =>
      tracer.request(traceparent, about)!.attempt(attempt).traceparent.slice(-2),
    )
    assert.deepEqual(passed, [flag, flag, flag])
    await close()
  }
})
