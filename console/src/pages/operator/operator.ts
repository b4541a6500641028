import { createContext, useContext } from 'react'
import type { Answer } from '../../client/ask.ts'

export type Me = Answer<'GET /v1/operator/me'>['data']
export type Role = Me['role']

const RANK: Record<Role, number> = { viewer: 1, support: 2, owner: 3 }

export const OperatorContext = createContext<Me | undefined>(undefined)

/** The operator who is signed in. What the role cannot do is not offered; the service checks all the same. */
export function useOperator(): Me & { may(role: Role): boolean } {
  const me = useContext(OperatorContext)!
  return { ...me, may: (role) => RANK[me.role] >= RANK[role] }
}
