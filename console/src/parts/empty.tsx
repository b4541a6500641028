import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Props = {
  icon: IconName
  title: string
  /** On the page itself, not on a card. */
  bare?: boolean
  children?: ReactNode
}

/** Nothing to show yet: why, and the one thing to do about it. */
export function Empty({ icon, title, bare = false, children }: Props) {
  return (
    <div
      className={`flex flex-col items-center gap-3 px-4 py-10 text-center ${bare ? '' : 'card'}`}
    >
      <span className="flex size-14 items-center justify-center rounded-full bg-green-wash text-green">
        <Icon name={icon} size={28} />
      </span>
      <p className="text-lg font-semibold">{title}</p>
      {children && (
        <div className="flex max-w-prose flex-col items-center gap-4 text-soft">{children}</div>
      )}
    </div>
  )
}
