/**
 * What a session leaves in the browser: in this tab only, under the session's id, and gone as soon as
 * the page learns that the session is over or that another one has begun.
 */
const PREFIX = 'mlango_stored '
const inMemory = new Map<string, unknown>()
const listeners = new Set<() => void>()
/** How the keys of the session begin; undefined while there is none. */
let own: string | undefined

export function keyOf(sessionId: string | undefined, name: string): string {
  return `${PREFIX}${sessionId ?? ''} ${name}`
}

export function storedText(key: string): string | null {
  return sessionStorage.getItem(key)
}

/** Not for a session that is over: an answer may still arrive then. */
export function store(key: string, value: unknown): void {
  if (!isOwn(key)) return
  try {
    sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // The storage is full: the page goes on without it, and a reload starts empty.
    sessionStorage.removeItem(key)
  }
}

export function recall(key: string): unknown {
  return inMemory.get(key)
}

export function remember(key: string, value: unknown): void {
  if (isOwn(key)) inMemory.set(key, value)
}

/** Called when a session has ended or another one takes its place. */
export function onSessionEnd(listener: () => void): void {
  listeners.add(listener)
}

/** Forgets everything that is not of this session; without one, everything. */
export function keepOnly(sessionId: string | undefined): void {
  const next = sessionId === undefined ? undefined : keyOf(sessionId, '')
  if (own !== undefined && own !== next) listeners.forEach((listener) => listener())
  own = next
  const foreign = (key: string) => key.startsWith(PREFIX) && !isOwn(key)
  for (const key of [...inMemory.keys()].filter(foreign)) inMemory.delete(key)
  // Earlier releases stored it for longer.
  for (const storage of [sessionStorage, localStorage]) {
    for (const key of Object.keys(storage).filter(foreign)) storage.removeItem(key)
  }
}

function isOwn(key: string): boolean {
  return own !== undefined && key.startsWith(own)
}
