import { useEffect, useRef } from 'react'
import { FieldFrame, inputLook } from './field.tsx'

type Props = {
  label: string
  value: string
  onChange(value: string): void
  /** Called with the sixth digit. */
  onComplete(code: string): void
  hint?: string
  error?: string | undefined
  disabled?: boolean
}

/** One field for six digits: typed, pasted, or filled in from the SMS where the browser can. */
export function CodeField({ label, value, onChange, onComplete, hint, error, disabled }: Props) {
  const take = (text: string) => {
    const digits = text.replaceAll(/\D/g, '').slice(0, 6)
    onChange(digits)
    if (digits.length === 6 && digits !== value) onComplete(digits)
  }
  useCodeFromSms(take)
  return (
    <FieldFrame label={label} hint={hint} error={error}>
      {({ id, describedBy, invalid }) => (
        <input
          id={id}
          value={value}
          onChange={(event) => take(event.target.value)}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
          disabled={disabled}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          placeholder="••••••"
          className={`${inputLook} figures min-h-14 text-center font-mono text-2xl tracking-[0.35em]`}
        />
      )}
    </FieldFrame>
  )
}

/** WebOTP: Android offers the code of an SMS whose last line names this host. */
function useCodeFromSms(take: (code: string) => void): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    if (!('OTPCredential' in window)) return undefined
    const leaving = new AbortController()
    const options = {
      otp: { transport: ['sms'] },
      signal: leaving.signal,
    } as CredentialRequestOptions
    navigator.credentials.get(options).then(
      (credential) => latest.current((credential as unknown as { code: string }).code),
      // Refused, or the page was left: the code can still be typed.
      () => {},
    )
    return () => leaving.abort()
  }, [])
}
