import type { Config } from '../../config.ts'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

const PART = 'settings'

/** Settings that the service would refuse, sentence by sentence. */
export function refusedSettings(problems: string): Diagnosis[] {
  const cure = 'Correct it in .env or in the environment; docs/settings.md has every setting.'
  return problems.split('\n').map((problem) => bad(PART, problem, cure))
}

/** Settings with which the service starts, but which a public service should not have. */
export function examineSettings(config: Config): Diagnosis[] {
  return [good(PART, 'They are complete and fit together.'), ...publicSettings(config)]
}

function publicSettings(config: Config): Diagnosis[] {
  const found: Diagnosis[] = []
  if (config.PUBLIC_URL === undefined) {
    return [note(PART, 'PUBLIC_URL is not set: only this machine is served.')]
  }
  const isHttps = config.PUBLIC_URL.startsWith('https:')
  if (isHttps && !config.TRUST_PROXY) {
    const says = 'TRUST_PROXY is off: behind a proxy all callers share one address and its limits.'
    found.push(note(PART, says, 'Set TRUST_PROXY=on if your own proxy is in front.'))
  }
  if (config.SMTP_URL !== undefined && /@localhost>?$/.test(config.MAIL_FROM)) {
    found.push(bad(PART, 'MAIL_FROM is an address at localhost.', 'Set it to one of your domain.'))
  }
  return found
}
