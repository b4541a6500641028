import { isIP } from 'node:net'
import { Failure } from '../../lib/failure.ts'
import type { OwnPages } from '../accounts.ts'

/** For whom passkeys are made: a domain, and the pages within it that may ask for them. */
export type RelyingParty = { id: string; origins: string[] }

/**
 * The one place that decides it: the domain is that of the first of our pages that can have passkeys,
 * or the one that is set. Without PUBLIC_URL our page is what the browser calls us, which only this
 * machine can mean by localhost. Pages outside the domain cannot use its passkeys.
 */
export function relyingParty(pages: OwnPages, headers: Headers): RelyingParty {
  const { PUBLIC_URL = `http://${String(headers.host)}`, FRONTEND_URL, OPERATOR_URL } = pages
  const able = [PUBLIC_URL, FRONTEND_URL, OPERATOR_URL]
    .filter((page) => page !== undefined && URL.canParse(page))
    .map((page) => new URL(page!))
    .filter(canHavePasskeys)
  const id = pages.PASSKEY_DOMAIN ?? able[0]?.hostname
  const within = able.filter(({ hostname }) => `.${hostname}`.endsWith(`.${id}`))
  if (id === undefined || within.length === 0) {
    throw new Failure(
      'forbidden',
      'Passkeys need an https address with a name. Open this service by it, or on localhost.',
    )
  }
  return { id, origins: [...new Set(within.map(({ origin }) => origin))] }
}

type Headers = Record<string, string | string[] | undefined>

/** Browsers give passkeys to no address that is a number, and to none without https but localhost. */
function canHavePasskeys({ protocol, hostname }: URL): boolean {
  if (protocol !== 'https:') return protocol === 'http:' && hostname === 'localhost'
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0
}
