import { useEffect, useId, useRef, useState, type ComponentProps, type ReactNode } from 'react'
import { commonWords } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'

export const inputLook =
  'w-full min-h-12 rounded-sm border border-edge bg-card px-3 text-base text-ink placeholder:text-soft aria-invalid:border-danger aria-invalid:border-2 disabled:opacity-60'

type FrameProps = {
  label: string
  /** Below the field, before anything is typed. */
  hint?: ReactNode
  /** What is wrong with what was typed. */
  error?: string | undefined
  optional?: boolean
  children(ids: { id: string; describedBy: string | undefined; invalid: boolean }): ReactNode
}

/** A label above, the field, then its hint or its error, tied together for screen readers. */
export function FieldFrame({ label, hint, error, optional, children }: FrameProps) {
  const common = useWords(commonWords)
  const id = useId()
  const below = error ?? hint
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
        {optional && <span className="font-normal text-soft"> ({common.optional})</span>}
      </label>
      {children({ id, describedBy: below ? `${id}-below` : undefined, invalid: !!error })}
      {below && (
        <p
          id={`${id}-below`}
          role={error ? 'alert' : undefined}
          className={`text-sm ${error ? 'font-medium text-danger' : 'text-soft'}`}
        >
          {below}
        </p>
      )}
    </div>
  )
}

type FieldProps = Omit<FrameProps, 'children'> &
  Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'className'> & {
    value: string
    onChange(value: string): void
  }

export function Field({ label, hint, error, optional, value, onChange, ...rest }: FieldProps) {
  const [shown, setShown] = useState(false)
  const common = useWords(commonWords)
  const isSecret = rest.type === 'password'
  const input = useEarlyText(value, onChange)
  return (
    <FieldFrame label={label} hint={hint} error={error} optional={optional ?? false}>
      {({ id, describedBy, invalid }) => (
        <div className="relative">
          <input
            {...rest}
            ref={input}
            value={value}
            id={id}
            type={isSecret && shown ? 'text' : (rest.type ?? 'text')}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            onChange={(event) => onChange(event.target.value)}
            className={`${inputLook} ${isSecret ? 'pr-24' : ''}`}
          />
          {isSecret && (
            <button
              type="button"
              aria-pressed={shown}
              onClick={() => setShown(!shown)}
              className="absolute inset-y-0 right-0 min-w-11 px-3 text-sm font-semibold text-green"
            >
              {shown ? common.hide : common.show}
            </button>
          )}
        </div>
      )}
    </FieldFrame>
  )
}

/** Takes over what was typed, or filled in by the browser, before the script had loaded. */
function useEarlyText(value: string, onChange: (value: string) => void) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const early = input.current?.value ?? ''
    if (early !== value) onChange(early)
  }, [])
  return input
}

type AreaProps = Omit<FrameProps, 'children'> &
  Omit<ComponentProps<'textarea'>, 'onChange' | 'value' | 'className'> & {
    value: string
    onChange(value: string): void
  }

export function TextArea({ label, hint, error, optional, onChange, ...rest }: AreaProps) {
  return (
    <FieldFrame label={label} hint={hint} error={error} optional={optional ?? false}>
      {({ id, describedBy, invalid }) => (
        <textarea
          rows={4}
          {...rest}
          id={id}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          onChange={(event) => onChange(event.target.value)}
          className={`${inputLook} py-2.5`}
        />
      )}
    </FieldFrame>
  )
}
