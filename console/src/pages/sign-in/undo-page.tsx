import { useEffect, useState } from 'react'
import { ask } from '../../client/ask.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../words/language.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { signInWords } from './words.ts'

/**
 * The link of a message about a change. Whoever opens it, be it a scanner of mails, changes nothing:
 * only the button does.
 */
export default function Page() {
  const words = useWords(signInWords)
  const [token, setToken] = useState<string>()
  // In an effect, because the prerendered HTML does not have it.
  useEffect(() => setToken(location.hash.slice(1)), [])
  const form = useForm({
    send: () => ask('POST /v1/auth/undo', { body: { token: token ?? '' } }),
  })
  if (form.isDone) {
    return (
      <SignInCard title={words.undoTitle}>
        <Notice tone="good">{words.undoDone}</Notice>
        <ButtonLink to="/reset">{words.resetTitle}</ButtonLink>
      </SignInCard>
    )
  }
  const isWhole = /^[\w-]{22}$/.test(token ?? '')
  return (
    <SignInCard title={words.undoTitle} lead={words.undoLead} onSubmit={() => form.submit()}>
      <ul className="flex list-disc flex-col gap-2 pl-5">
        {words.undoEffects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      {token !== undefined && !isWhole && <Notice tone="warning">{words.undoPart}</Notice>}
      <FailureNotice
        error={form.error}
        kinds={{ gone: words.undoOld, conflict: words.undoTaken }}
      />
      <Button type="submit" wide busy={form.busy} disabled={!isWhole}>
        {words.undoDo}
      </Button>
    </SignInCard>
  )
}
