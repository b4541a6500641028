import { connect } from 'node:tls'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

const PART = 'public address'
const DAY_MS = 86_400_000
const RENEW_DAYS = 14
const PATIENCE_MS = 10_000

/** Whether our own service answers there, as people and payment providers will call it. */
export async function examinePublicAddress(
  publicUrl: string | undefined,
  callbacks: readonly string[],
): Promise<Diagnosis[]> {
  if (publicUrl === undefined) return [note(PART, 'PUBLIC_URL is not set.')]
  const base = publicUrl.replace(/\/$/, '')
  const alive = await statusOf(`${base}/healthz`)
  if (alive !== 200) {
    const what = alive === undefined ? 'does not answer' : `answers ${alive}`
    return [
      bad(
        PART,
        `${base}/healthz ${what}, as seen from this machine.`,
        'Start the service; check the name (DNS), the proxy, its certificate and the firewall.',
      ),
    ]
  }
  return [
    good(PART, `${base} reaches the service.`),
    ...(await Promise.all(callbacks.map((provider) => callbackOf(base, provider)))),
    ...(base.startsWith('https:') ? [await certificateOf(new URL(base))] : []),
  ]
}

/** A GET is refused by the method, which shows that the address leads to the route. */
async function callbackOf(base: string, provider: string): Promise<Diagnosis> {
  const status = await statusOf(`${base}/v1/payments/callbacks/${provider}`)
  const part = 'callbacks'
  if (status === 405) return good(part, `Those of ${provider} arrive.`)
  return bad(
    part,
    `Those of ${provider} would not arrive (${status ?? 'no answer'}).`,
    'Let the proxy pass /v1/payments/callbacks/ on to the service.',
  )
}

async function statusOf(address: string): Promise<number | undefined> {
  try {
    const answer = await fetch(address, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    await answer.body?.cancel()
    return answer.status
  } catch {
    // No such name, no connection, a certificate that is not valid, or no answer in time.
    return undefined
  }
}

async function certificateOf({ hostname, port }: URL): Promise<Diagnosis> {
  const until = await new Promise<number>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname })
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('timeout')))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to))
      socket.destroy()
    })
  })
  return certificateAge(until, Date.now())
}

export function certificateAge(untilMs: number, nowMs: number): Diagnosis {
  const days = Math.floor((untilMs - nowMs) / DAY_MS)
  if (days >= RENEW_DAYS) return good('certificate', `It is valid for ${days} more days.`)
  const cure = 'Renew it; with Caddy, look into its log why it has not been renewed.'
  return bad('certificate', `It ends in ${days} days.`, cure)
}
