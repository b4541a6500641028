import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { useSignOut } from '../../../frame/app-frame.tsx'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { SettingRow } from './setting-row.tsx'
import { securityWords } from './security-words.ts'

type Session = Answer<'GET /v1/me/sessions'>['data'][number]

export function SessionList() {
  const words = useWords(securityWords)
  const sessions = useAsk('GET /v1/me/sessions')
  const signOut = useSignOut()
  const everywhere = useForm({ send: () => signOut(true) })
  return (
    <Section title={words.sessions}>
      <Loaded query={sessions} shape={<Skeleton lines={2} tall />}>
        {({ data }) => (
          <div className="card divide-y divide-line px-4">
            {data.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </div>
        )}
      </Loaded>
      <div className="flex flex-wrap items-center gap-3">
        <Button kind="danger" busy={everywhere.busy} onClick={() => everywhere.submit()}>
          {words.everywhere}
        </Button>
        <p className="text-sm text-soft">{words.everywhereWhy}</p>
      </div>
    </Section>
  )
}

function SessionRow({ session }: { session: Session }) {
  const words = useWords(securityWords)
  const { moment } = useFormats()
  const end = useForm({
    send: () => ask('DELETE /v1/me/sessions/{id}', { path: { id: session.id } }),
    renews: ['GET /v1/me/sessions', 'GET /v1/me/security-events'],
  })
  const { browser, system } = session.device
  const named = [browser, system].filter((word) => word !== undefined).join(', ')
  const device = named || (session.kind === 'app' ? words.app : words.unknown)
  return (
    <>
      <SettingRow
        label={words.lastSeen(moment(session.last_used_at))}
        action={
          session.current ? (
            <Badge tone="good">{words.thisDevice}</Badge>
          ) : (
            <Button
              kind="quiet"
              size="small"
              aria-label={`${words.end}: ${device}`}
              busy={end.busy}
              onClick={() => end.submit()}
            >
              {words.end}
            </Button>
          )
        }
      >
        {device}
      </SettingRow>
      <FailureNotice error={end.error} />
    </>
  )
}
