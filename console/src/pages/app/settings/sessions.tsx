import { useMutation } from '@tanstack/react-query'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk, useAskAgain } from '../../../client/use-ask.ts'
import { useSignOut } from '../../../frame/app-frame.tsx'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { Row } from './row.tsx'
import { securityWords } from './security-words.ts'

type Session = Answer<'GET /v1/me/sessions'>['data'][number]

export function Sessions() {
  const words = useWords(securityWords)
  const sessions = useAsk('GET /v1/me/sessions')
  const signOut = useSignOut()
  const everywhere = useMutation({ mutationFn: () => signOut(true) })
  return (
    <Section title={words.sessions}>
      <Loaded query={sessions} shape={<Skeleton lines={2} tall />}>
        {({ data }) => (
          <div className="card divide-y divide-line px-4">
            {data.map((session) => (
              <One key={session.id} session={session} />
            ))}
          </div>
        )}
      </Loaded>
      <div className="flex flex-wrap items-center gap-3">
        <Button kind="danger" busy={everywhere.isPending} onClick={() => everywhere.mutate()}>
          {words.everywhere}
        </Button>
        <p className="text-sm text-soft">{words.everywhereWhy}</p>
      </div>
    </Section>
  )
}

function One({ session }: { session: Session }) {
  const words = useWords(securityWords)
  const { moment } = useFormats()
  const again = useAskAgain()
  const end = useMutation({
    mutationFn: () => ask('DELETE /v1/me/sessions/{id}', { path: { id: session.id } }),
    onSuccess: () => again('GET /v1/me/sessions'),
  })
  const { browser, system } = session.device
  const named = [browser, system].filter((word) => word !== undefined).join(', ')
  const device = named || (session.kind === 'app' ? words.app : words.unknown)
  return (
    <>
      <Row
        label={words.lastSeen(moment(session.last_used_at))}
        action={
          session.current ? (
            <Badge tone="good">{words.thisDevice}</Badge>
          ) : (
            <Button
              kind="quiet"
              size="small"
              aria-label={`${words.end}: ${device}`}
              busy={end.isPending}
              onClick={() => end.mutate()}
            >
              {words.end}
            </Button>
          )
        }
      >
        {device}
      </Row>
      <FailureNotice error={end.error} />
    </>
  )
}
