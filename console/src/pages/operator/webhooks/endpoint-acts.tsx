import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAskAgain } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { ActDialog } from '../act-dialog.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import type { Endpoint } from './page.tsx'
import { webhooksWords } from './words.ts'

export type EndpointAct =
  | { act: 'add'; endpoint?: undefined }
  | { act: 'change' | 'switch' | 'rotate' | 'remove'; endpoint: Endpoint }

type Props = EndpointAct & { onDone(said: string): void; onClose(): void }

/** What an owner does to an address. A new secret is shown this once. */
export function EndpointActs({ onDone, onClose, ...wish }: Props) {
  const again = useAskAgain()
  const [secret, setSecret] = useState<string>()
  const end = (said: string) => {
    onClose()
    onDone(said)
    return again('GET /v1/operator/webhooks')
  }
  const show = (made: string) => (setSecret(made), again('GET /v1/operator/webhooks'))
  if (secret !== undefined) return <SecretOnce secret={secret} onClose={onClose} />
  switch (wish.act) {
    case 'add':
      return <EndpointForm onSecret={show} onDone={end} onClose={onClose} />
    case 'change':
      return (
        <EndpointForm endpoint={wish.endpoint} onSecret={show} onDone={end} onClose={onClose} />
      )
    default:
      return <Simple {...wish} act={wish.act} onSecret={show} onDone={end} onClose={onClose} />
  }
}

type SimpleProps = {
  act: 'switch' | 'rotate' | 'remove'
  endpoint: Endpoint
  onSecret(secret: string): unknown
  onDone(said: string): unknown
  onClose(): void
}

function Simple({ act, endpoint, onSecret, onDone, onClose }: SimpleProps) {
  const words = useWords(webhooksWords)
  const { url, enabled } = endpoint
  const path = { id: endpoint.id }
  if (act === 'rotate') {
    return (
      <ActDialog
        title={words.rotateTitle}
        why={words.rotateWhy}
        act={words.rotate}
        harmless
        perform={({ reason }) =>
          ask('POST /v1/operator/webhooks/{id}/secret', { path, body: { reason } })
        }
        onDone={({ data }) => onSecret(data.secret)}
        onClose={onClose}
      />
    )
  }
  if (act === 'remove') {
    return (
      <ActDialog
        title={words.removeTitle(url)}
        why={words.removeWhy}
        act={words.remove}
        perform={({ reason, idempotencyKey }) =>
          ask('DELETE /v1/operator/webhooks/{id}', { path, body: { reason }, idempotencyKey })
        }
        onDone={() => onDone(words.removed)}
        onClose={onClose}
      />
    )
  }
  return (
    <ActDialog
      title={url}
      why={enabled ? words.turnOffWhy : words.turnOnWhy}
      act={enabled ? words.turnOff : words.turnOn}
      harmless={!enabled}
      perform={({ reason, idempotencyKey }) =>
        ask('PATCH /v1/operator/webhooks/{id}', {
          path,
          body: { enabled: !enabled, reason },
          idempotencyKey,
        })
      }
      onDone={() => onDone(words.done)}
      onClose={onClose}
    />
  )
}

function SecretOnce({ secret, onClose }: { secret: string; onClose(): void }) {
  const words = useWords(webhooksWords)
  return (
    <Dialog title={words.secretTitle} onClose={onClose}>
      <Notice tone="warning" title={words.secretOnce} />
      <code className="rounded-sm bg-sunken p-3 font-mono break-all select-all" data-secret>
        {secret}
      </code>
      <div className="flex flex-wrap gap-2">
        <Copy text={secret} />
        <Button onClick={onClose}>{words.secretSaved}</Button>
      </div>
    </Dialog>
  )
}
