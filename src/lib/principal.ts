/** Who is calling, once the credential has been checked. */
export type Principal =
  | { kind: 'jwt'; accountId: string; sessionId: string; role: 'user' | 'admin' }
  | { kind: 'key'; accountId: string; keyId: string; workspaceId: string }
