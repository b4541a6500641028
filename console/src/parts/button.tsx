import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'wouter'
import { useWords } from '../words/language.tsx'
import { commonWords } from '../words/common.ts'
import { Icon, type IconName } from './icon.tsx'

type Looks = {
  kind?: 'main' | 'plain' | 'quiet' | 'danger'
  size?: 'normal' | 'small'
  icon?: IconName
  wide?: boolean
}

const KINDS = {
  main: 'bg-green text-on-green border-green hover:brightness-110',
  plain: 'bg-card text-ink border-edge hover:bg-sunken',
  quiet: 'bg-transparent text-green border-transparent hover:bg-green-wash',
  danger: 'bg-card text-danger border-danger hover:bg-danger-wash',
}

function look({ kind = 'main', size = 'normal', wide }: Looks): string {
  const room = size === 'small' ? 'px-3 text-sm' : 'px-5'
  return `inline-flex min-h-11 items-center justify-center gap-2 rounded-sm border font-semibold text-center transition-[filter,background-color] disabled:opacity-55 ${room} ${KINDS[kind]} ${wide ? 'w-full' : ''}`
}

type ButtonProps = Looks &
  Omit<ComponentProps<'button'>, 'className'> & {
    /** Shows that it works, and takes no second tap. */
    busy?: boolean
    children: ReactNode
  }

export function Button({ kind, size, icon, wide, busy, children, ...rest }: ButtonProps) {
  const common = useWords(commonWords)
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || busy === true}
      aria-busy={busy}
      className={look({ ...defined({ kind, size, wide }) })}
    >
      {icon && <Icon name={icon} />}
      {busy ? common.working : children}
    </button>
  )
}

/** Looks like a button and leads to another page. */
export function ButtonLink({
  to,
  children,
  icon,
  ...looks
}: Looks & { to: string; children: ReactNode }) {
  return (
    <Link href={to} className={look(looks)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}

/** A square with an icon; the label is for those who do not see it. */
export function IconButton({
  icon,
  label,
  ...rest
}: { icon: IconName; label: string } & Omit<ComponentProps<'button'>, 'className'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className="inline-flex size-11 items-center justify-center rounded-sm text-soft hover:bg-sunken hover:text-ink"
    >
      <Icon name={icon} />
    </button>
  )
}

function defined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as never
}
