import { resolve } from 'node:path'
import type { Config } from '../config.ts'

/** One screen for the person who started it. */
export function welcome(
  config: Config,
  { address, notes }: { address: string; notes: string[] },
): string {
  const lines = [
    ['Console', `${address}/`],
    ['API', `${address}/v1`],
    ['Reference', `${address}/docs`],
    ['Data', dataLine(config)],
    ...notes.map((note) => ['', note]),
    ['Models', modelsLine(config)],
    ['Payments', paymentsLine(config)],
    ['Messages', messagesLine(config)],
  ]
  const width = Math.max(...lines.map(([name]) => name!.length))
  const body = lines.map(([name, value]) => `  ${name!.padEnd(width)}  ${value}`).join('\n')
  return `\nMlango is running.\n\n${body}\n\nTry it:\n\n  curl ${address}/v1/catalog\n\nOpen ${address}/ in a browser to create an account and a key.\nPress Ctrl-C to stop.\n\n`
}

/** What the operator must fix, in a sentence; a stack trace only for a bug of ours. */
export function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, message, name, stack } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return 'PORT: another process already uses it. Choose another port.'
  if (code === 'EADDRNOTAVAIL') return 'HOST: this machine has no such address.'
  if (code === 'EACCES') return `${message}. This user lacks the rights for HOST, PORT or DATA_DIR.`
  const isExplained = ['ConfigError', 'DatabaseError', 'WorkerError', 'Failure'].includes(name)
  return isExplained ? message : (stack ?? message)
}

function dataLine(config: Config): string {
  if (config.DATABASE_URL !== undefined) return 'PostgreSQL server (DATABASE_URL)'
  return `${resolve(config.DATA_DIR)} (PostgreSQL of its own; survives a crash and a power cut)`
}

function modelsLine({ UPSTREAMS_FILE, PAYMENT_PROVIDER }: Config): string {
  if (UPSTREAMS_FILE !== undefined) return 'real'
  const paid = PAYMENT_PROVIDER === 'simulator' ? '' : ': real money would buy play answers'
  return `simulated${paid} (set UPSTREAMS_FILE for real ones)`
}

function paymentsLine({ UPSTREAMS_FILE, PAYMENT_PROVIDER }: Config): string {
  if (PAYMENT_PROVIDER !== 'simulator') return PAYMENT_PROVIDER
  return UPSTREAMS_FILE === undefined
    ? 'simulated (set PAYMENT_PROVIDER)'
    : 'SIMULATED, WITH REAL MODELS: anyone can buy them for nothing (ALLOW_SIMULATED_PAYMENTS)'
}

function messagesLine(config: Config): string {
  const mail = config.SMTP_URL === undefined ? 'files' : 'SMTP'
  const sms = config.SMS_PROVIDER ?? 'files'
  const where = mail === 'files' || sms === 'files' ? ` in ${resolve(config.DATA_DIR)}/outbox` : ''
  return mail === sms ? `mail and SMS as files${where}` : `mail: ${mail}, SMS: ${sms}${where}`
}
