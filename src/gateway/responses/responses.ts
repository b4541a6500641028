import type { Db } from '../../db/db.ts'
import type { KeyList } from '../../lib/secrets.ts'
import type { ChatParts, GatewayCall } from '../gateway.ts'

export type Responses = {
  gateway: ChatParts
  db: Db
  /** How long responses are stored; 0: not at all. */
  storedDays: number
  /** By which compactions are sealed. */
  keys: KeyList
}

/** A call for which more may be read than was sent. */
export type ResponseCall = GatewayCall & {
  readonly arrivedBytes: number
  holdRead(bytes: number): void
}
