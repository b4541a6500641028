const made: unique symbol = Symbol('made')

/**
 * That the owner of an account is at work. Every statement that changes how an account is signed in
 * to takes one, so none can be reached without; test/accounts/owner-proof.test.ts lists who makes
 * them, and why they may.
 */
export type OwnerProof = { readonly accountId: string; readonly [made]: true }

export function ownerProof(accountId: string): OwnerProof {
  return { accountId, [made]: true }
}
