import { useSearchParams } from 'wouter'
import type { ReactNode } from 'react'

/** The state of the filters is in the address: it can be shared as a link, and Back undoes a change. */
export function useFilters<Name extends string>(
  defaults: Record<Name, string>,
): [Record<Name, string>, (changes: Partial<Record<Name, string>>) => void] {
  const [search, setSearch] = useSearchParams()
  const names = Object.keys(defaults) as Name[]
  const values = Object.fromEntries(
    names.map((name) => [name, search.get(name) ?? defaults[name]]),
  ) as Record<Name, string>
  const change = (changes: Partial<Record<Name, string>>) => {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changes) as [Name, string][]) {
          if (value === defaults[name]) next.delete(name)
          else next.set(name, value)
        }
        return next
      },
      { replace: true },
    )
  }
  return [values, change]
}

/** Fields in a row on a desktop; on a phone the first one takes a whole line. */
export function Filters({ children }: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-2 gap-3 max-sm:[&>*:first-child]:col-span-2 max-sm:[&>*:last-child:nth-child(even)]:col-span-2 lg:grid-cols-4">
      {children}
    </div>
  )
}
