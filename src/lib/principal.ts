/** A signed-in person, by an access token. */
export type SessionPrincipal = {
  kind: 'jwt'
  accountId: string
  sessionId: string
  role: 'user' | 'admin'
}

/** A program, by an API key. */
export type KeyPrincipal = { kind: 'key'; accountId: string; keyId: string; workspaceId: string }

/** Who is calling, once the credential has been checked. */
export type Principal = SessionPrincipal | KeyPrincipal
