import { userInfo } from 'node:os'
import { Failure } from '../lib/failure.ts'
import type { OperatorPrincipal, OperatorRole } from '../accounts/principal.ts'

/** Who acts: an operator through the API, or whoever may run commands on the machine. */
export type Actor = {
  /** Null for a command, which knows no limits: whoever can run it has the database anyway. */
  operatorId: string | null
  role: OperatorRole
  name: string
  requestId?: string | undefined
  address?: string | undefined
}

export function operatorActor(call: {
  principal: OperatorPrincipal
  requestId: string
  address: string
}): Actor & { operatorId: string } {
  const { accountId, operator } = call.principal
  return { operatorId: accountId, ...operator, requestId: call.requestId, address: call.address }
}

export type CommandActor = Actor & { operatorId: null }

export function commandActor(name: string | undefined): CommandActor {
  return { operatorId: null, role: 'owner', name: name?.trim() || `command of ${userName()}` }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user may have a number and no name.
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

/** Only an owner asks for anything to be done to the account of an operator. */
export function requireAuthorityOver(actor: Actor, roleOfTarget: OperatorRole | undefined): void {
  if (roleOfTarget !== undefined && actor.role !== 'owner') {
    throw new Failure('forbidden', 'This is the account of an operator: only an owner may do it.')
  }
}
