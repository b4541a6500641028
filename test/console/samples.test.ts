import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { samplesOf } from '../../console/src/samples/samples.ts'
import type { SampleCall } from '../../console/src/samples/types.ts'

type Seen = { url: string; headers: IncomingHttpHeaders; body: Buffer }
const seen: Seen[] = []
const server = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  seen.push({ url: request.url!, headers: request.headers, body: Buffer.concat(parts) })
  response.setHeader('content-type', 'application/json')
  response.end('{"data":[]}')
})
let origin: string
let folder: string
before(async () => {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder = await mkdtemp(join(tmpdir(), 'mlango-samples-'))
  await writeFile(join(folder, 'sauti.webm'), BYTES)
})
after(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251))
const NASTY = `'"\\ $HOME $(id) \`id\` %s %d ! @sauti.webm\n\t</script> \u2028 🌍 'mwisho'`

/** Runs curl and JavaScript; both must send the same. */
async function runBoth(call: SampleCall): Promise<Seen[]> {
  const from = seen.length
  const samples = samplesOf(origin, call)
  const code = (name: string) => samples.find((sample) => sample.name === name)!.code
  const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', MLANGO_KEY: 'mlg_x' } }
  await promisify(execFile)('bash', ['-ec', code('curl')], options)
  const script = ['--input-type=module', '-e', code('JavaScript')]
  await promisify(execFile)(process.execPath, script, options)
  const sent = seen.slice(from)
  assert.equal(sent.length, 2)
  for (const { url, headers } of sent) {
    assert.equal(url, call.path)
    assert.equal(headers.authorization, 'Bearer mlg_x')
  }
  return sent
}

test('a body arrives as it is, whatever a shell would read in it', async () => {
  const body = { model: 'a/b:free', messages: [{ role: 'user', content: NASTY }], stream: true }
  const headers = { 'Idempotency-Key': 'agizo-1' }
  for (const sent of await runBoth({ path: '/v1/chat/completions', body, headers })) {
    assert.deepEqual(JSON.parse(sent.body.toString()), body)
    assert.equal(sent.headers['content-type'], 'application/json')
    assert.equal(sent.headers['idempotency-key'], 'agizo-1')
  }
})

test('a recording longer than an argument may be is sent in base64', async () => {
  const body = { audio_format: 'webm', text_model: NASTY, include_audio: true }
  const inBase64 = { member: 'audio_data', file: 'sauti.webm' }
  for (const sent of await runBoth({ path: '/v1/voice/responses', body, inBase64 })) {
    const expected = { ...body, audio_data: BYTES.toString('base64') }
    assert.deepEqual(JSON.parse(sent.body.toString()), expected)
  }
})

test('a form has its file and its fields, also one that begins like the name of a file', async () => {
  const fields = { model: 'sim/macho', prompt: `@sauti.webm ${NASTY}` }
  const form = { fields, file: 'sauti.webm', type: 'audio/webm' }
  for (const sent of await runBoth({ path: '/v1/documents/analyze', form })) {
    const read = await new Response(new Uint8Array(sent.body), {
      headers: { 'content-type': sent.headers['content-type']! },
    }).formData()
    // A form's lines end in CRLF, whatever they ended in before.
    const prompt = (read.get('prompt') as string).replaceAll('\r\n', '\n')
    assert.equal(prompt, fields.prompt)
    const file = read.get('file') as File
    assert.equal(file.type, 'audio/webm')
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), BYTES)
  }
})

test('Python has its own true, false and nothing', () => {
  const body = { model: 'm', stream: true, stop: null, list: [], more: { a: [1, 'b'] } }
  const python = samplesOf('https://mlango.test', { path: '/v1/chat/completions', body })[1]!.code
  assert.match(python, /"stream": True,\n {8}"stop": None,\n {8}"list": \[\],/)
  assert.match(python, /"more": \{\n {12}"a": \[\n {16}1,\n {16}"b",\n {12}\],\n {8}\},\n {4}\},/)
})
