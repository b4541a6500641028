import { useEffect, useRef } from 'react'
import { FieldFrame, inputLook } from './field.tsx'

type Option<Value extends string> = { value: Value; label: string }
type Props<Value extends string> = {
  label: string
  value: Value
  options: readonly Option<Value>[]
  onChange(value: Value): void
  hint?: string
  error?: string | undefined
}

export function Select<Value extends string>(props: Props<Value>) {
  const { label, value, options, onChange, hint, error } = props
  return (
    <FieldFrame label={label} hint={hint} error={error}>
      {({ id, describedBy, invalid }) => (
        <select
          id={id}
          value={value}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          onChange={(event) => onChange(event.target.value as Value)}
          className={inputLook}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  )
}

type ChoiceProps<Value extends string> = Omit<Props<Value>, 'hint' | 'error'>

/** A few choices side by side, one of them selected: for tabs, periods and languages. */
export function Choices<Value extends string>({
  label,
  value,
  options,
  onChange,
}: ChoiceProps<Value>) {
  const group = useRef<HTMLDivElement>(null)
  // On a phone they do not all fit: the selected one is scrolled into view.
  useEffect(() => {
    const row = group.current
    const taken = row?.querySelector<HTMLElement>('[aria-pressed=true]')
    if (row && taken) row.scrollLeft = taken.offsetLeft - (row.clientWidth - taken.offsetWidth) / 2
  }, [value])
  return (
    <div
      ref={group}
      role="group"
      aria-label={label}
      className="relative -mx-4 flex gap-2 overflow-x-auto px-4 pb-1 sm:mx-0 sm:flex-wrap sm:px-0"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className="min-h-11 shrink-0 rounded-full border border-line bg-card px-4 text-sm font-medium text-soft hover:border-edge hover:text-ink aria-pressed:border-green aria-pressed:bg-green-wash aria-pressed:text-green"
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
