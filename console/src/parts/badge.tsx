import { Icon, type IconName } from './icon.tsx'

export type Tone = 'good' | 'bad' | 'wait' | 'plain'

const TONES: Record<Tone, { look: string; icon: IconName | undefined }> = {
  good: { look: 'bg-green-wash text-green', icon: 'check' },
  bad: { look: 'bg-danger-wash text-danger', icon: 'cross' },
  wait: { look: 'bg-warning-wash text-warning', icon: 'clock' },
  plain: { look: 'bg-sunken text-soft', icon: undefined },
}

/** A state as a word with an icon: never by colour alone. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  const { look, icon } = TONES[tone]
  return (
    <span
      className={`inline-flex w-fit items-center gap-1 rounded-full px-2.5 py-0.5 text-sm font-medium ${look}`}
    >
      {icon && <Icon name={icon} size={14} />}
      {children}
    </span>
  )
}
