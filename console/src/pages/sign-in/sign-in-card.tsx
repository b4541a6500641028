import type { FormEvent, ReactNode } from 'react'
import { frameWords } from '../../frame/words.ts'
import { Icon } from '../../parts/icon.tsx'
import { useWords } from '../../words/language.tsx'
import { signInWords } from './words.ts'

type Props = { title: string; lead?: ReactNode; children: ReactNode; onSubmit?: () => void }

/** The card with a sign-in form; on wide screens beside what the service offers. */
export function SignInCard({ title, lead, children, onSubmit }: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    <div className="column grid justify-center gap-12 py-8 sm:py-14 lg:grid-cols-[1fr_28rem]">
      <Promises />
      <div className="w-full max-w-md min-w-0">
        <h1 className="text-2xl">{title}</h1>
        {lead && <p className="mt-1 break-words text-soft">{lead}</p>}
        <form noValidate onSubmit={submit} className="card mt-6 flex flex-col gap-5 p-5 sm:p-6">
          {children}
        </form>
      </div>
    </div>
  )
}

function Promises() {
  const { motto } = useWords(frameWords)
  const { promises } = useWords(signInWords)
  return (
    <div className="relative hidden overflow-hidden rounded-lg bg-green p-10 text-on-green dark:bg-green-wash dark:text-ink lg:flex lg:flex-col lg:justify-end lg:gap-6">
      <svg
        aria-hidden="true"
        viewBox="0 0 200 200"
        className="absolute -top-8 -right-10 h-80 opacity-15"
      >
        <path
          d="M30 200V95a70 70 0 0 1 140 0v105h-35V95a35 35 0 0 0-70 0v105z"
          fill="currentColor"
        />
        <circle cx="100" cy="140" r="16" fill="currentColor" />
      </svg>
      <p className="max-w-sm text-2xl font-semibold">{motto}</p>
      <ul className="flex flex-col gap-3">
        {promises.map((promise) => (
          <li key={promise} className="flex items-center gap-3">
            <Icon name="check" />
            {promise}
          </li>
        ))}
      </ul>
    </div>
  )
}
