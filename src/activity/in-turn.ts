const last = new Map<string, Promise<unknown>>()

/**
 * Reads that add up three months run one after the other for each account: however many of them one
 * account asks for at once, it has one connection to the database, and the others have the rest.
 */
export function inTurn<T>(accountId: string, read: () => Promise<T>): Promise<T> {
  const before = last.get(accountId) ?? Promise.resolve()
  const turn = before.then(read, read)
  last.set(accountId, turn)
  const leave = () => {
    if (last.get(accountId) === turn) last.delete(accountId)
  }
  turn.then(leave, leave)
  return turn
}
