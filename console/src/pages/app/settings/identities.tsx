import { useState } from 'react'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { ConfirmDialog } from '../../../parts/form/confirm-dialog.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { SettingRow } from './setting-row.tsx'
import { securityWords } from './security-words.ts'

type Identity = Answer<'GET /v1/me/identities'>['data'][number]

/** The social sign-ins that open this account; nothing where there are none. */
export default function Identities() {
  const words = useWords(securityWords)
  const { day } = useFormats()
  const identities = useAsk('GET /v1/me/identities')
  const [leaving, setLeaving] = useState<Identity>()
  const linked = identities.data?.data ?? []
  if (linked.length === 0) return null
  return (
    <Section title={words.identities}>
      <div className="card divide-y divide-line px-4">
        {linked.map((identity) => (
          <SettingRow
            key={identity.id}
            label={words.linkedOn(day(identity.created_at))}
            action={
              <Button
                kind="quiet"
                size="small"
                aria-label={`${words.unlink}: ${identity.provider}`}
                onClick={() => setLeaving(identity)}
              >
                {words.unlink}
              </Button>
            }
          >
            {identity.provider}
          </SettingRow>
        ))}
      </div>
      {leaving && <Unlink identity={leaving} onClose={() => setLeaving(undefined)} />}
    </Section>
  )
}

function Unlink({ identity, onClose }: { identity: Identity; onClose(): void }) {
  const words = useWords(securityWords)
  const form = useFactorForm({
    send: (factor) =>
      ask('DELETE /v1/me/identities/{id}', { path: { id: identity.id }, body: factor }),
    renews: ['GET /v1/me/identities'],
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      title={words.unlinkTitle(identity.provider)}
      why={words.unlinkWhy(identity.provider)}
      button={words.unlink}
      form={form}
      kinds={{ ...form.kinds, conflict: words.unlinkLast }}
      onClose={onClose}
    >
      <SecondFactorField form={form} />
    </ConfirmDialog>
  )
}
