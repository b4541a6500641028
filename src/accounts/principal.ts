/** A signed-in person, by an access token. */
export type SessionPrincipal = {
  kind: 'jwt'
  accountId: string
  sessionId: string
  role: 'user' | 'admin'
}

export type OperatorRole = 'viewer' | 'support' | 'owner'

/**
 * What a route for operators asks of them: a role or one above it, and beside the session either
 * nothing, that it has passed the second factor, or that it has done so within ten minutes.
 */
export type OperatorNeed = { role: OperatorRole; proof: 'session' | 'second_factor' | 'fresh' }

/** A signed-in person who may run the service. */
export type OperatorPrincipal = SessionPrincipal & {
  operator: { role: OperatorRole; name: string }
}

/** A program, by an API key. */
export type KeyPrincipal = { kind: 'key'; accountId: string; keyId: string; workspaceId: string }

/** Who is calling, once the credential has been checked. */
export type Principal = SessionPrincipal | KeyPrincipal
