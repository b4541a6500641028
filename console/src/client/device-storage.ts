import { useEffect, useState } from 'react'
import { keyOf, recall, remember, store, storedText } from './session-belongings.ts'
import { useSession } from './session.ts'

/** State that survives a reload of this tab, such as a text that is being written. */
export function useStored<Value>(name: string, initial: Value): [Value, (next: Value) => void] {
  const key = useKey(name)
  const [value, setValue] = useState(() => readStored(key, initial))
  const change = (next: Value) => {
    setValue(next)
    store(key, next)
  }
  return [value, change]
}

/** The same in memory, for what is too large or not text: it survives going to another page and back. */
export function useRemembered<Value>(name: string, initial: Value): [Value, (next: Value) => void] {
  const key = useKey(name)
  const [value, setValue] = useState(() => (recall(key) as Value | undefined) ?? initial)
  useEffect(() => remember(key, value), [key, value])
  return [value, setValue]
}

function useKey(name: string): string {
  return keyOf(useSession().id, name)
}

function readStored<Value>(key: string, initial: Value): Value {
  try {
    const text = storedText(key)
    return text === null ? initial : (JSON.parse(text) as Value)
  } catch {
    return initial
  }
}
