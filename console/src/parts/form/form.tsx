import type { ReactNode } from 'react'
import { commonWords } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { Button } from '../button.tsx'
import { FailureNotice, type FailureProps } from '../failure-notice.tsx'
import type { IconName } from '../icon.tsx'

export type FormProps = Omit<FailureProps, 'error' | 'onRetry'> & {
  form: { busy: boolean; error: Error | null; submit(): void }
  /** What the button does, never only "yes" or "send". */
  button: string
  kind?: 'main' | 'danger'
  icon?: IconName
  /** Something in the fields is missing. */
  disabled?: boolean
  /** A field says already what is wrong. */
  isSaid?: boolean
  onCancel?: (() => void) | undefined
  children?: ReactNode
}

/** Fields, why it failed, and the button. With a way out, the button is not as wide as the form. */
export function Form(props: FormProps) {
  const { form, button, kind = 'main', icon, disabled = false, onCancel, children } = props
  const { isSaid = false, kinds, unsure, paid } = props
  const common = useWords(commonWords)
  const submit = (
    <Button
      type="submit"
      kind={kind}
      {...(icon && { icon })}
      wide={onCancel === undefined}
      busy={form.busy}
      disabled={disabled}
    >
      {button}
    </Button>
  )
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!disabled && !form.busy) form.submit()
      }}
      className="flex flex-col gap-4"
    >
      {children}
      {!isSaid && <FailureNotice error={form.error} kinds={kinds} unsure={unsure} paid={paid} />}
      {onCancel === undefined ? (
        submit
      ) : (
        <div className="flex flex-wrap gap-2">
          {submit}
          <Button kind="quiet" onClick={onCancel}>
            {common.cancel}
          </Button>
        </div>
      )}
    </form>
  )
}
