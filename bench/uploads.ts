import { once } from 'node:events'
import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { client } from '../test/support/accounts.ts'
import { signUp } from '../test/support/customer.ts'
import { startReplica } from '../test/support/replica.ts'
import type { Bench, Row } from './row.ts'

const AT_ONCE = 10
const CAP_BYTES = 25 * 1024 * 1024
const CEILING_MB = 400
const MB = 1024 * 1024

/** Ten recordings of 25 MiB at once, held by an upstream until all ten are there. */
export const uploads: Bench = {
  name: 'uploads',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'mlango-uploads-'))
    const upstream = await startUpstream()
    const file = join(folder, 'upstreams.json')
    await writeFile(file, JSON.stringify({ upstreams: [entry(upstream.url)] }))
    const service = await startReplica({
      DATA_DIR: folder,
      UPSTREAMS_FILE: file,
      PAYMENT_PROVIDER: 'simulator',
      ALLOW_SIMULATED_PAYMENTS: 'true',
      VOICE_DEFAULT_STT_MODEL: 'bench/ear',
      SIGNUP_BONUS_CREDITS: '1000000',
      RESERVATION_CAP_CREDITS: '10',
      // All of them are of one account and from one address.
      ACCOUNT_SHARE_PERCENT: '100',
      ADDRESS_SHARE_PERCENT: '100',
    })
    try {
      const key = await newKey(service.url, folder)
      const sender = { url: service.url, key, pid: service.pid, upstream }
      const rows: Row[] = []
      for (const [how, body] of [
        ['as files', asForm()],
        ['as JSON', asJson()],
      ] as const) {
        rows.push(await measure(how, sender, body))
      }
      return rows
    } finally {
      service.kill('SIGTERM')
      await service.ended
      upstream.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

type Upstream = Awaited<ReturnType<typeof startUpstream>>
type Sender = { url: string; key: string; pid: number; upstream: Upstream }
type Body = { type: string; bytes: Buffer }

async function measure(how: string, sender: Sender, body: Body): Promise<Row> {
  const { pid, upstream } = sender
  // One call first: memory for code and buffers that every call needs is not counted.
  upstream.holdUntil(1)
  await post(sender, body)
  await sleep(1_000)
  const idle = await residentMb(pid, 'VmRSS')
  await writeFile(`/proc/${pid}/clear_refs`, '5')
  upstream.holdUntil(AT_ONCE)
  const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => post(sender, body)))
  if (statuses.some((status) => status !== 200)) throw new Error(`answered ${statuses.join()}`)
  const above = (await residentMb(pid, 'VmHWM')) - idle
  const ratio = { of: `a ceiling of ${CEILING_MB} MB`, value: CEILING_MB / above, atLeast: 1 }
  return { what: `${AT_ONCE} × 25 MiB at once ${how}, above idle`, value: above, unit: 'MB', ratio }
}

/** Resident memory now (`VmRSS`), or its peak since it was last reset (`VmHWM`). */
async function residentMb(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)![1]) * 1024) / MB
}

/** Discards what it receives, and answers only when `holdUntil` requests have arrived in full. */
async function startUpstream() {
  let expected = 1
  let waiting: ServerResponse[] = []
  const server = createServer((req: IncomingMessage, res) => {
    req.resume().once('end', () => {
      waiting.push(res)
      if (waiting.length < expected) return
      for (const one of waiting) {
        one.setHeader('content-type', 'application/json')
        one.end('{"text":"Habari","usage":{"seconds":546,"cost":0.05}}')
      }
      waiting = []
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdUntil(count: number) {
      expected = count
    },
    close: () => server.closeAllConnections(),
  }
}

function entry(url: string) {
  return {
    name: 'bench',
    type: 'openrouter',
    base_url: url,
    sync: false,
    models: [
      {
        id: 'bench/ear',
        input_modalities: ['audio'],
        output_modalities: ['transcription'],
        pricing: { audio_second: '0.0001' },
      },
    ],
  }
}

async function newKey(url: string, folder: string): Promise<string> {
  const { token } = await signUp(url, folder)
  const made = await client(url)('POST /v1/api-keys', { token, body: { name: 'bench' } })
  return made.body.data.key as string
}

/** 16 bits, mono, 24 kHz; noise, so that it cannot be compressed. */
function recording(): Buffer {
  const bytes = Buffer.alloc(CAP_BYTES)
  for (let at = 44; at + 4 <= bytes.length; at += 4)
    bytes.writeUInt32LE((at * 2_654_435_761) >>> 0, at)
  bytes.write('RIFF\0\0\0\0WAVEfmt \x10\0\0\0', 'latin1')
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(24_000, 24)
  bytes.writeUInt32LE(48_000, 28)
  bytes.write('data', 36, 'latin1')
  bytes.writeUInt32LE(CAP_BYTES - 44, 40)
  return bytes
}

function asForm(): Body {
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
  const bytes = Buffer.concat([Buffer.from(head), recording(), Buffer.from('\r\n--x--\r\n')])
  return { type: 'multipart/form-data; boundary=x', bytes }
}

function asJson(): Body {
  const input_audio = { format: 'wav', data: recording().toString('base64') }
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify({ input_audio })) }
}

/** With `node:http`: a client that copies each body would slow this process down. */
async function post({ url, key }: Sender, { type, bytes }: Body): Promise<number> {
  const outgoing = request(`${url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': type,
      'content-length': bytes.length,
    },
  })
  outgoing.end(bytes)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode!
}
