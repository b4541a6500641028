import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { AskFailure } from '../../../client/failure.ts'
import { useAsk, useAskAgain } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Field } from '../../../parts/field.tsx'
import { commonWords } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import { securityWords } from './security-words.ts'

export function ChangePassword({ onDone, onClose }: { onDone(): void; onClose(): void }) {
  const words = useWords(securityWords)
  const common = useWords(commonWords)
  const again = useAskAgain()
  const facts = useAsk('GET /v1/console', {}, { staleTime: 300_000 })
  const [current, setCurrent] = useState('')
  const [fresh, setFresh] = useState('')
  const change = useMutation({
    mutationFn: () =>
      ask('POST /v1/me/password', {
        body: { ...(current && { current_password: current }), new_password: fresh },
      }),
    onSuccess: () => (onDone(), onClose(), again('GET /v1/me/sessions')),
  })
  const wrong = change.error instanceof AskFailure ? change.error.param : undefined
  const inField = wrong === 'current_password' || wrong === 'new_password'
  const social = facts.data?.data.sign_in
  return (
    <Dialog title={words.passwordChange} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => (event.preventDefault(), change.mutate())}
        className="flex flex-col gap-4"
      >
        <Field
          label={words.current}
          type="password"
          value={current}
          onChange={setCurrent}
          autoComplete="current-password"
          hint={social?.google || social?.github ? words.social : undefined}
          error={wrong === 'current_password' ? words.currentWrong : undefined}
        />
        <Field
          label={words.fresh}
          type="password"
          value={fresh}
          onChange={setFresh}
          autoComplete="new-password"
          hint={words.freshHint}
          error={wrong === 'new_password' ? words.freshEasy : undefined}
        />
        {!inField && <FailureNotice error={change.error} />}
        <Button type="submit" wide busy={change.isPending} disabled={fresh.length < 8}>
          {common.save}
        </Button>
      </form>
    </Dialog>
  )
}
