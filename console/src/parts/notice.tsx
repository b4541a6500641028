import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Tone = 'good' | 'bad' | 'warning' | 'info'

const TONES: Record<Tone, { look: string; icon: IconName }> = {
  good: { look: 'border-green bg-green-wash [&>svg]:text-green', icon: 'check' },
  bad: { look: 'border-danger bg-danger-wash [&>svg]:text-danger', icon: 'warning' },
  warning: { look: 'border-warning bg-warning-wash [&>svg]:text-warning', icon: 'warning' },
  info: { look: 'border-line bg-card [&>svg]:text-soft', icon: 'info' },
}

type Props = { tone: Tone; title?: string | undefined; children?: ReactNode }

/** Read aloud by screen readers when it appears: at once for a failure, otherwise at the next pause. */
export function Notice({ tone, title, children }: Props) {
  const { look, icon } = TONES[tone]
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`flex gap-3 rounded-sm border-l-4 p-3 ${look}`}
    >
      <Icon name={icon} />
      <div className="min-w-0 flex-1">
        {title && <p className="font-semibold">{title}</p>}
        {children}
      </div>
    </div>
  )
}
