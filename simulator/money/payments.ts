import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Plan } from './outcomes.ts'
import { planFor } from './outcomes.ts'

/** A payment as the simulated provider knows it. */
export type SimPayment = {
  wire: 'snippe' | 'clickpesa'
  /** The provider's own. */
  reference: string
  /** The caller's: an Idempotency-Key or an orderReference. */
  callerRef: string
  amount: number
  currency: string
  phone: string
  status: 'pending' | 'completed' | 'failed'
  collected: number
  collectedCurrency: string
  failure?: string
  /** What a status query answers instead of the usual word. */
  word?: string
  webhookUrl: string
  metadata: Record<string, unknown>
  customer: Record<string, unknown>
  createdAt: number
  updatedAt: number
}

/** The provider's own record of what happened: tests compare the service's ledger with it. */
export type LogLine = {
  at: number
  kind: 'create' | 'push' | 'status' | 'search' | 'token' | 'callback' | 'settled'
  reference?: string | undefined
  detail?: string | undefined
}

export type PaymentRecords = {
  payments: Map<string, SimPayment>
  log: LogLine[]
  note(kind: LogLine['kind'], reference?: string, detail?: string): void
  byCallerRef(wire: SimPayment['wire'], callerRef: string): SimPayment | undefined
  byReference(reference: string): SimPayment | undefined
  all(): SimPayment[]
  add(payment: Omit<SimPayment, 'reference' | 'status' | 'createdAt' | 'updatedAt'>): SimPayment
  save(payment: SimPayment): void
  plan(payment: { phone: string; amount: number }): Plan
}

/** With a file, payments outlive the process, and processes that use the same file share them. */
export function openPaymentRecords(file: string | undefined): PaymentRecords {
  const payments = new Map<string, SimPayment>()
  const log: LogLine[] = []
  if (file !== undefined) mkdirSync(dirname(file), { recursive: true })
  let known = 0
  /** Reads what another process wrote meanwhile, into the same objects that callers hold. */
  const reload = () => {
    const size = file !== undefined && existsSync(file) ? statSync(file).size : 0
    if (size === known) return
    known = size
    for (const payment of stored(file)) {
      const mine = payments.get(payment.reference)
      if (mine) Object.assign(mine, payment)
      else payments.set(payment.reference, payment)
    }
  }
  reload()
  return {
    payments,
    log,
    note: (kind, reference, detail) => {
      if (log.length >= 100_000) log.splice(0, 50_000)
      log.push({ at: Date.now(), kind, reference, detail })
    },
    byCallerRef: (wire, callerRef) => {
      reload()
      const matches = (one: SimPayment) => one.wire === wire && one.callerRef === callerRef
      return [...payments.values()].find(matches)
    },
    byReference: (reference) => {
      reload()
      return payments.get(reference)
    },
    all: () => {
      reload()
      return [...payments.values()]
    },
    add(details) {
      const now = Date.now()
      const times = { createdAt: now, updatedAt: now }
      const payment: SimPayment = {
        ...details,
        ...times,
        reference: randomUUID(),
        status: 'pending',
      }
      this.save(payment)
      this.note('push', payment.reference)
      return payment
    },
    save(payment) {
      payments.set(payment.reference, payment)
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(payment)}\n`)
    },
    plan: (payment) => planFor(payment.phone, payment.amount),
  }
}

function stored(file: string | undefined): SimPayment[] {
  if (file === undefined || !existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  // The last line may be cut short by a crash while it was written.
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as SimPayment]
    } catch {
      return []
    }
  })
}
