import { resolve } from 'node:path'
import type { Config } from './config.ts'

/** One screen that a person can use. */
export function welcome(
  config: Config,
  now: { address: string; simulated: { upstreams: boolean; payments: boolean } },
): string {
  const { address, simulated } = now
  const lines = [
    ['API', `${address}/v1`],
    ['Reference', `${address}/docs`],
    ['Data', dataLine(config)],
    ['Models', simulated.upstreams ? 'simulated (set UPSTREAMS_FILE for real ones)' : 'real'],
    ['Payments', simulated.payments ? 'simulated (set PAYMENT_PROVIDER)' : config.PAYMENT_PROVIDER],
    ['Messages', messagesLine(config)],
  ]
  const width = Math.max(...lines.map(([name]) => name!.length))
  const body = lines.map(([name, value]) => `  ${name!.padEnd(width)}  ${value}`).join('\n')
  return `\nMlango is open.\n\n${body}\n\nTry it:\n\n  curl ${address}/v1/catalog\n\nThen follow "First steps" at ${address}/docs to make an account and a key.\nStop with Ctrl-C.\n\n`
}

/** What the operator must mend, in a sentence; a stack only for what is our own fault. */
export function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, message, name, stack } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return 'PORT: another process listens there already. Choose another.'
  if (code === 'EADDRNOTAVAIL') return 'HOST: this machine has no such address.'
  if (code === 'EACCES') return `${message}. HOST, PORT or DATA_DIR need rights this user lacks.`
  const told = ['ConfigError', 'FolderInUse', 'Failure'].includes(name)
  return told ? message : (stack ?? message)
}

function dataLine(config: Config): string {
  if (config.DATABASE_URL !== undefined) return 'PostgreSQL server (DATABASE_URL)'
  return `${resolve(config.DATA_DIR)} (embedded; survives a crash, not a power loss)`
}

function messagesLine(config: Config): string {
  const mail = config.SMTP_URL === undefined ? 'files' : 'SMTP'
  const sms = config.SMS_PROVIDER ?? 'files'
  const where = mail === 'files' || sms === 'files' ? ` in ${resolve(config.DATA_DIR)}/outbox` : ''
  return mail === sms ? `mail and SMS as files${where}` : `mail: ${mail}, SMS: ${sms}${where}`
}
