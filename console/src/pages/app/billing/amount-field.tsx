import { Field } from '../../../parts/form/field.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { billingWords } from './words.ts'

type Props = {
  rules: { min_tzs: number; max_tzs: number; amounts_tzs: number[] }
  value: string
  onChange(value: string): void
  disabled: boolean
}

/** The usual amounts to tap, and a field for any other. */
export function AmountField({ rules, value, onChange, disabled }: Props) {
  const words = useWords(billingWords)
  const { tzs } = useFormats()
  const limits = [tzs(rules.min_tzs), tzs(rules.max_tzs)] as const
  const chosen = Number(value)
  const isWrong = value !== '' && (chosen < rules.min_tzs || chosen > rules.max_tzs)
  return (
    <>
      <div
        role="group"
        aria-label={words.howMuch}
        className="grid grid-cols-2 gap-2 sm:grid-cols-4"
      >
        {rules.amounts_tzs.map((one) => (
          <button
            key={one}
            type="button"
            disabled={disabled}
            aria-pressed={chosen === one}
            onClick={() => onChange(String(one))}
            className="figures min-h-14 rounded-sm border border-edge bg-card px-2 font-semibold hover:bg-sunken aria-pressed:border-2 aria-pressed:border-green aria-pressed:bg-green-wash aria-pressed:text-green"
          >
            {tzs(one)}
          </button>
        ))}
      </div>
      <Field
        label={words.otherAmount}
        value={value}
        onChange={(text) => onChange(text.replaceAll(/\D/g, '').slice(0, 9))}
        inputMode="numeric"
        autoComplete="off"
        disabled={disabled}
        hint={words.limits(...limits)}
        error={isWrong ? words.amountWrong(...limits) : undefined}
      />
    </>
  )
}
