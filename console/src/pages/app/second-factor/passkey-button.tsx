import { Button } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { useWords } from '../../../words/language.tsx'
import { usePasskeyLibrary } from './passkey.ts'
import { passkeyWords } from './passkey-words.ts'

type Props<Result> = { show(): Promise<Result>; onShown(result: Result): unknown }

/** Asks for a passkey, and says why that did not work. */
export function PasskeyButton<Result>({ show, onShown }: Props<Result>) {
  const words = useWords(passkeyWords)
  usePasskeyLibrary()
  const form = useForm({ send: show, onDone: onShown })
  return (
    <>
      <FailureNotice error={form.error} kinds={words.kinds} />
      <Button wide icon="shield" busy={form.busy} onClick={() => form.submit()}>
        {words.use}
      </Button>
    </>
  )
}
