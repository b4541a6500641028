import type { ReactNode } from 'react'

type Props = { label: string; children: ReactNode; action?: ReactNode }

/** One setting: its name, what it is, and the button that changes it. */
export function SettingRow({ label, children, action }: Props) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 py-3">
      <div className="min-w-0">
        <p className="text-sm text-soft">{label}</p>
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium wrap-anywhere">
          {children}
        </div>
      </div>
      {action && <div className="text-right">{action}</div>}
    </div>
  )
}
