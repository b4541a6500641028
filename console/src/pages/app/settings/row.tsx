import type { ReactNode } from 'react'

type Props = { label: string; children: ReactNode; action?: ReactNode }

/** One setting: its name, what it is, and the button that changes it. */
export function Row({ label, children, action }: Props) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-3">
      <div className="min-w-0">
        <p className="text-sm text-soft">{label}</p>
        <div className="flex flex-wrap items-center gap-2 font-medium break-all">{children}</div>
      </div>
      {action && <div className="flex flex-wrap">{action}</div>}
    </div>
  )
}
