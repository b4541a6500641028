import type { ReactNode } from 'react'

/** A figure with its name above and an explanation below. */
export function Stat({
  label,
  children,
  below,
}: {
  label: string
  children: ReactNode
  below?: ReactNode
}) {
  return (
    <div className="card flex flex-col gap-1 p-4">
      <p className="text-sm text-soft">{label}</p>
      <p className="figures text-xl font-semibold">{children}</p>
      {below && <p className="text-sm text-soft">{below}</p>}
    </div>
  )
}
