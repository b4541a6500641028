import type { FormEvent, ReactNode } from 'react'

type Props = { title: string; lead?: ReactNode; children: ReactNode; onSubmit?: () => void }

/** The narrow card in which one signs in. */
export function Sheet({ title, lead, children, onSubmit }: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    <div className="column flex justify-center py-8 sm:py-14">
      <div className="w-full max-w-md">
        <h1 className="text-2xl">{title}</h1>
        {lead && <p className="mt-1 mb-6 text-soft">{lead}</p>}
        <form noValidate onSubmit={submit} className="card flex flex-col gap-5 p-5 sm:p-6">
          {children}
        </form>
      </div>
    </div>
  )
}
