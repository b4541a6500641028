import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

export type Step = {
  key: string
  title: string
  state: 'done' | 'now' | 'later' | 'failed'
  detail?: ReactNode
}

const LOOKS = {
  done: 'border-green bg-green text-on-green',
  now: 'border-green bg-card text-green pulse',
  later: 'border-line bg-card text-soft',
  failed: 'border-danger bg-danger-wash text-danger',
}

/** What has happened, what happens now, what is to come. */
export function Timeline({ label, steps }: { label: string; steps: Step[] }) {
  return (
    <ol aria-label={label} className="flex flex-col">
      {steps.map((step, at) => (
        <li
          key={step.key}
          aria-current={step.state === 'now' ? 'step' : undefined}
          className="relative flex gap-3 pb-5 last:pb-0"
        >
          {at < steps.length - 1 && (
            <span
              aria-hidden="true"
              className="absolute top-8 bottom-0 left-[0.95rem] w-px bg-line"
            />
          )}
          <span
            className={`flex size-8 shrink-0 items-center justify-center rounded-full border-2 ${LOOKS[step.state]}`}
          >
            {step.state === 'done' && <Icon name="check" size={16} />}
            {step.state === 'failed' && <Icon name="cross" size={16} />}
          </span>
          <div className="min-w-0 pt-0.5">
            <p className={step.state === 'later' ? 'text-soft' : 'font-semibold'}>{step.title}</p>
            {step.detail && <div className="text-sm text-soft">{step.detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  )
}
