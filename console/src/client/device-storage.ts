import { useEffect, useState } from 'react'
import { useSession } from './session.ts'

/** Stored on this device only, for one account; removed when the account signs out. */
const PREFIX = 'mlango_stored '
const inMemory = new Map<string, unknown>()

/** State that survives a reload, such as a text that is being written. */
export function useStored<Value>(name: string, initial: Value): [Value, (next: Value) => void] {
  const key = useKey(name)
  const [value, setValue] = useState(() => readStored(key, initial))
  const store = (next: Value) => {
    setValue(next)
    try {
      localStorage.setItem(key, JSON.stringify(next))
    } catch {
      // The device's storage is full: the page goes on without it, and a reload starts empty.
      localStorage.removeItem(key)
    }
  }
  return [value, store]
}

/** The same in memory, for what is too large or not text: it survives going to another page and back. */
export function useRemembered<Value>(name: string, initial: Value): [Value, (next: Value) => void] {
  const key = useKey(name)
  const [value, setValue] = useState(() => (inMemory.get(key) as Value | undefined) ?? initial)
  useEffect(() => void inMemory.set(key, value), [key, value])
  return [value, setValue]
}

export function forgetStored(): void {
  inMemory.clear()
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX)) localStorage.removeItem(key)
  }
}

function useKey(name: string): string {
  return `${PREFIX}${useSession().user?.id ?? ''} ${name}`
}

function readStored<Value>(key: string, initial: Value): Value {
  try {
    const text = localStorage.getItem(key)
    return text === null ? initial : (JSON.parse(text) as Value)
  } catch {
    return initial
  }
}
