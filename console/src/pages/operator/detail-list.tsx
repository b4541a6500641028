import type { ReactNode } from 'react'

export type Detail = readonly [label: string, value: ReactNode]

/** Labels and values, line by line; unknown values are left out. */
export function DetailList({ details }: { details: readonly Detail[] }) {
  return (
    <dl className="card divide-y divide-line px-4">
      {details
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([label, value]) => (
          <div key={label} className="flex flex-wrap items-baseline gap-x-4 py-2">
            <dt className="text-soft">{label}</dt>
            <dd className="figures ml-auto min-w-0 text-right font-medium wrap-anywhere">
              {value}
            </dd>
          </div>
        ))}
    </dl>
  )
}
