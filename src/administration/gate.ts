import type { Db } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { inNetworks } from '../lib/network.ts'
import type { OperatorNeed, OperatorPrincipal, SessionPrincipal } from '../lib/principal.ts'
import { findStanding, type Standing } from './operators-store.ts'

const RANK = { viewer: 1, support: 2, owner: 3 }

/** The one place that decides what an operator may do. It asks the database each time. */
export function createGate(parts: { db: Db; networks: string[] | undefined }) {
  const isNear = parts.networks && inNetworks(parts.networks)
  return {
    /** Undefined for whoever is no operator, who is not to learn that there is anything here. */
    async admit(
      principal: SessionPrincipal,
      address: string,
      need: OperatorNeed,
    ): Promise<OperatorPrincipal | undefined> {
      if (isNear && !isNear(address)) return undefined
      const standing = await findStanding(parts.db, principal)
      if (!standing) return undefined
      if (RANK[standing.role] < RANK[need.role]) {
        throw new Failure(
          'forbidden',
          `This needs the role ${need.role}; yours is ${standing.role}.`,
        )
      }
      if (need.proof !== 'session') requireSecondFactor(standing, need.proof === 'fresh')
      const { role, email, phoneNumber, fullName } = standing
      return { ...principal, operator: { role, name: email ?? phoneNumber ?? fullName } }
    },
  }
}

/** A code by SMS or email is not enough: numbers are stolen by a swap of the SIM. */
function requireSecondFactor(standing: Standing, fresh: boolean): void {
  if (!standing.hasAuthenticator) {
    throw new Failure(
      'second_factor_missing',
      'Operators need an authenticator app. Set mfa_method to totp with PATCH /v1/me.',
    )
  }
  if (standing.secondFactorAt === null || (fresh && !standing.fresh)) {
    throw new Failure(
      'second_factor_missing',
      'Send a code of your authenticator app to POST /v1/auth/step-up, then try again.',
    )
  }
}
