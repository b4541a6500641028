import { useEffect, useState } from 'react'

/** This service's own address, for samples; HTML from the build does not know it yet. */
export function useOrigin(): string {
  const [origin, setOrigin] = useState('https://…')
  useEffect(() => setOrigin(location.origin), [])
  return origin
}
