import type { ReactNode } from 'react'

/** The heading of a page, a sentence about it, and what one can do with all of it. */
export function PageTitle({
  title,
  lead,
  children,
}: {
  title: string
  lead?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className="mb-6 flex flex-wrap items-end justify-between gap-3">
      <div className="min-w-0">
        <h1 className="text-2xl">{title}</h1>
        {lead && <p className="mt-1 max-w-prose text-soft">{lead}</p>}
      </div>
      {children && <div className="flex flex-wrap gap-2">{children}</div>}
    </div>
  )
}

/** A part of a page, with its own heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-8 flex flex-col gap-3">
      <h2 className="text-lg">{title}</h2>
      {children}
    </section>
  )
}
