import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentRecords, SimPayment } from './payments.ts'
import type { CallbackKind } from './outcomes.ts'

export type CallbackKeys = { webhookSecret: string; checksumKey: string }
export type Signed = { headers: Record<string, string>; body: string }

/** Sends the callbacks of the plan in order; one that is not answered with 2xx is sent again. */
export async function sendCallbacks(work: {
  records: PaymentRecords
  payment: SimPayment
  kinds: readonly CallbackKind[]
  signing: CallbackKeys
  retryMs: number
  signal: AbortSignal
}): Promise<void> {
  for (const kind of work.kinds) {
    const copies = kind === 'twice_at_once' ? 2 : 1
    await Promise.all(Array.from({ length: copies }, () => sendOne(work, kind)))
  }
}

/** A signed callback about a payment, in its provider's wire format. */
export function signedCallback(
  payment: SimPayment,
  signing: CallbackKeys,
  changes: { ageS?: number; status?: 'completed' | 'failed'; reference?: string } = {},
): Signed {
  const at = Date.now() - (changes.ageS ?? 0) * 1000
  const shown = { ...payment, status: changes.status ?? payment.status }
  const reference = changes.reference ?? payment.reference
  return payment.wire === 'snippe'
    ? snippeCallback({ ...shown, reference }, signing.webhookSecret, at)
    : clickpesaCallback(shown, signing.checksumKey, at, changes.reference)
}

async function sendOne(work: Parameters<typeof sendCallbacks>[0], kind: CallbackKind) {
  for (let attempt = 0; attempt < 4 && !work.signal.aborted; attempt++) {
    if (attempt > 0) await sleep(work.retryMs * 2 ** (attempt - 1), undefined, { ref: false })
    const { headers, body } = callbackOf(work, kind)
    const status = await post(work.payment.webhookUrl, headers, body, work.signal)
    work.records.note('callback', work.payment.reference, `${kind} ${status}`)
    if ((status >= 200 && status < 300) || kind === 'bad_signature' || kind === 'stale') return
  }
}

function callbackOf(
  { payment, signing, records }: Parameters<typeof sendCallbacks>[0],
  kind: CallbackKind,
) {
  if (kind === 'bad_signature') {
    return signedCallback(payment, { webhookSecret: 'wrong', checksumKey: 'wrong' })
  }
  if (kind === 'stale') return signedCallback(payment, signing, { ageS: 400 })
  if (kind === 'failed_first') return signedCallback(payment, signing, { status: 'failed' })
  if (kind !== 'other_reference') return signedCallback(payment, signing)
  const other = [...records.payments.values()].find((one) => one.status === 'completed')
  const reference = payment.wire === 'snippe' ? other?.reference : other?.callerRef
  return signedCallback(payment, signing, {
    status: 'completed',
    reference: reference ?? randomUUID(),
  })
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<number> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(30_000)])
    const answer = await fetch(url, { method: 'POST', headers, body, signal: within })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0 // nobody answered
  }
}

function snippeCallback(payment: SimPayment, secret: string, atMs: number): Signed {
  const money = { value: payment.collected, currency: payment.collectedCurrency }
  const when = new Date(payment.updatedAt).toISOString()
  const body = JSON.stringify({
    id: `evt_${payment.reference.replaceAll('-', '')}`,
    type: `payment.${payment.status}`,
    api_version: '2026-01-25',
    created_at: when,
    data: {
      reference: payment.reference,
      external_reference: `S${payment.createdAt}`,
      status: payment.status,
      amount: money,
      channel: { type: 'mobile_money', provider: 'airtel' },
      customer: payment.customer,
      metadata: payment.metadata,
      ...(payment.status === 'failed'
        ? { failure_reason: payment.failure, failed_at: when }
        : { completed_at: when, settlement: { gross: money } }),
    },
  })
  const stamp = String(Math.floor(atMs / 1000))
  const signature = createHmac('sha256', secret).update(`${stamp}.${body}`).digest('hex')
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Snipe-Webhook/1.0',
      'x-webhook-event': `payment.${payment.status}`,
      'x-webhook-timestamp': stamp,
      'x-webhook-signature': signature,
    },
  }
}

function clickpesaCallback(
  payment: SimPayment,
  key: string,
  atMs: number,
  orderReference = payment.callerRef,
): Signed {
  const failed = payment.status === 'failed'
  const ids = { id: payment.reference, orderReference }
  const when = new Date(atMs).toISOString()
  const data = failed
    ? { ...ids, status: 'FAILED', message: payment.failure ?? 'Failed', clientId: 'IDsimulated' }
    : {
        ...ids,
        status: 'SUCCESS',
        paymentReference: `P${payment.createdAt}`,
        collectedAmount: String(payment.collected),
        collectedCurrency: payment.collectedCurrency,
        message: 'Payment received',
        channel: 'AIRTEL-MONEY',
        customer: { customerPhoneNumber: payment.phone },
        createdAt: new Date(payment.createdAt).toISOString(),
        updatedAt: when,
      }
  const event = { event: failed ? 'PAYMENT FAILED' : 'PAYMENT RECEIVED', data }
  const checksum = createHmac('sha256', key).update(canonical(event)).digest('hex')
  return {
    body: JSON.stringify({ ...event, checksum, checksumMethod: 'canonical' }),
    headers: { 'content-type': 'application/json' },
  }
}

/** Not shared with the service on purpose: a mistake in one would hide in the other. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`)
  return `{${members.join(',')}}`
}
