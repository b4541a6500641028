import { Field } from './field.tsx'
export { toInternational } from './phone-number.ts'

type Props = {
  label: string
  value: string
  onChange(value: string): void
  hint?: string
  error?: string | undefined
  disabled?: boolean
}

/** A phone number as people write it. `toInternational` (phone-number.ts) makes of it what the API takes. */
export function PhoneField(props: Props) {
  return (
    <Field {...props} type="tel" inputMode="tel" autoComplete="tel" placeholder="0712 345 678" />
  )
}
