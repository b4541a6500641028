import type { Db } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { inNetworks } from '../lib/network.ts'
import type { OperatorNeed, OperatorPrincipal, Principal } from '../accounts/principal.ts'
import { findStanding, type Standing } from './operators-store.ts'
import type { Refusal, RefusalWhy } from './refusals-store.ts'

const RANK = { viewer: 1, support: 2, owner: 3 }

/** The request for which an operator's rights are checked. */
export type Asked = {
  address: string
  requestId: string
  /** Such as `GET /v1/operator/me`. */
  route: string
  /** By a host that is not the operators' own. */
  foreignHost: boolean
}

/** The one place that decides what an operator may do. It asks the database each time. */
export function createGate(parts: {
  db: Db
  networks: string[] | undefined
  /** Called for every refusal. */
  refused(refusal: Refusal): void
}) {
  const isNear = parts.networks && inNetworks(parts.networks)
  return {
    /** Undefined for callers who are no operators: they get a 404. */
    async admit(
      principal: Principal,
      asked: Asked,
      need: OperatorNeed,
    ): Promise<OperatorPrincipal | undefined> {
      const refuse = (why: RefusalWhy): undefined => {
        const { route: what, address, requestId } = asked
        parts.refused({ accountId: principal.accountId, why, what, address, requestId })
      }
      if (principal.kind !== 'jwt') return refuse('api_key')
      const standing = await findStanding(parts.db, principal)
      if (!standing) return refuse('no_operator')
      if (asked.foreignHost) return refuse('foreign_host')
      if (isNear && !isNear(asked.address)) return refuse('foreign_network')
      if (RANK[standing.role] < RANK[need.role]) {
        refuse('role')
        throw new Failure(
          'forbidden',
          `This needs the role ${need.role}; yours is ${standing.role}.`,
        )
      }
      const missing = missingFactor(standing, need.proof)
      if (missing !== undefined) {
        refuse('second_factor')
        throw new Failure('second_factor_missing', missing)
      }
      const { role, email, phoneNumber, fullName } = standing
      return { ...principal, operator: { role, name: email ?? phoneNumber ?? fullName } }
    },
  }
}

function missingFactor(standing: Standing, proof: OperatorNeed['proof']): string | undefined {
  if (proof === 'session') return undefined
  if (!standing.hasPasskey && !standing.hasAuthenticator) {
    return 'Operators need a passkey or an authenticator app. Add a passkey with POST /v1/me/passkeys, or set mfa_method to totp with PATCH /v1/me.'
  }
  const fresh = proof === 'fresh'
  if (standing.secondFactorAt === null || (fresh && !standing.fresh)) {
    return 'Show a passkey at POST /v1/auth/step-up/passkey, or send a code of your authenticator app to POST /v1/auth/step-up; then try again.'
  }
  return undefined
}
