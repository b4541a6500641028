import type { ReactNode } from 'react'
import { commonWords } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FailureNotice } from './failure-notice.tsx'

type Props = {
  title: string
  /** What will happen, and whether it can be undone. */
  why?: ReactNode
  /** On the button: what is done, never only "yes". */
  act: string
  /** For what harms nobody. */
  harmless?: boolean
  busy: boolean
  disabled?: boolean
  error: unknown
  /** See FailureNotice; the same for the next. */
  kinds?: Partial<Record<string, string>>
  unsure?: string
  /** Fields that it needs. */
  children?: ReactNode
  onConfirm(): void
  onClose(): void
}

/** Asks before something that cannot be taken back. */
export function Confirm({ title, why, act, harmless, children, onClose, ...rest }: Props) {
  const common = useWords(commonWords)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => (event.preventDefault(), rest.onConfirm())}
        className="flex flex-col gap-4"
      >
        {why && <p>{why}</p>}
        {children}
        <FailureNotice
          error={rest.error}
          {...(rest.kinds && { kinds: rest.kinds })}
          {...(rest.unsure !== undefined && { unsure: rest.unsure })}
        />
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            kind={harmless === true ? 'main' : 'danger'}
            busy={rest.busy}
            disabled={rest.disabled === true}
          >
            {act}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            {common.cancel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
