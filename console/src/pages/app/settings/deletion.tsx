import { useState } from 'react'
import { useLocation } from 'wouter'
import { useFacts } from '../../../catalog/rate.ts'
import { ask } from '../../../client/ask.ts'
import { closeSession } from '../../../client/session.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { ConfirmDialog } from '../../../parts/form/confirm-dialog.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { settingsWords } from './words.ts'

export function Deletion() {
  const words = useWords(settingsWords)
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={words.deletion}>
      <div className="card flex flex-wrap items-center justify-between gap-3 p-4">
        <p className="text-soft">{words.deletionLead}</p>
        <Button kind="danger" onClick={() => setOpen(true)}>
          {words.deletionOpen}
        </Button>
      </div>
      {isOpen && <DeleteAccount onClose={() => setOpen(false)} />}
    </Section>
  )
}

/** Says what happens, and asks for the password: whoever finds the page open must not delete it. */
function DeleteAccount({ onClose }: { onClose(): void }) {
  const words = useWords(settingsWords)
  const { number } = useFormats()
  const [, go] = useLocation()
  const social = useFacts().data?.data.sign_in
  const [password, setPassword] = useState('')
  const balance = useAsk('GET /v1/billing/balance', {}, { staleTime: 0 })
  const form = useForm({
    send: () => ask('DELETE /v1/me', { body: { password } }),
    onDone: () => {
      go('/', { replace: true })
      closeSession()
    },
  })
  const isWrong = form.wrongField === 'password'
  return (
    <ConfirmDialog
      title={words.deletionTitle}
      button={words.deletionDo}
      form={form}
      kinds={{ forbidden: words.deletionEnterAgain }}
      isSaid={isWrong}
      disabled={balance.data === undefined}
      onClose={onClose}
    >
      <Loaded query={balance}>
        {({ data }) => (
          <Notice tone="bad" title={words.deletionCredits(number(data.balance_credits, 6))}>
            <p>{words.deletionKeys}</p>
            <p>{words.deletionBack}</p>
          </Notice>
        )}
      </Loaded>
      <Field
        label={words.password}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        hint={social?.google || social?.github ? words.passwordSocial : undefined}
        error={isWrong ? words.passwordWrong : undefined}
      />
    </ConfirmDialog>
  )
}
