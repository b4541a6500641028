import { ask } from '../../../client/ask.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import type { EndpointDialog, EndpointProps } from './types.ts'
import { webhooksWords } from './words.ts'

type Props = { dialog: EndpointDialog } & Omit<EndpointProps, 'endpoint'>

/** What an owner does to an address. */
export function EndpointDialogs({ dialog: { kind, endpoint }, ...rest }: Props) {
  if (kind === 'add') return <EndpointForm {...rest} />
  switch (kind) {
    case 'change':
      return <EndpointForm endpoint={endpoint} {...rest} />
    case 'rotate':
      return <RotateSecret endpoint={endpoint} {...rest} />
    case 'remove':
      return <RemoveEndpoint endpoint={endpoint} {...rest} />
    default:
      return <SwitchEndpoint endpoint={endpoint} {...rest} />
  }
}

const CHANGED = ['GET /v1/operator/webhooks'] as const

function RotateSecret({ endpoint, onSecret, onClose }: EndpointProps) {
  const words = useWords(webhooksWords)
  return (
    <ActionDialog
      title={words.rotateTitle}
      why={words.rotateWhy}
      button={words.rotate}
      harmless
      perform={({ body }) =>
        ask('POST /v1/operator/webhooks/{id}/secret', {
          path: { id: endpoint.id },
          body,
        })
      }
      renews={CHANGED}
      onDone={({ data }) => onSecret(data.secret)}
      onClose={onClose}
    />
  )
}

function RemoveEndpoint({ endpoint, onDone, onClose }: EndpointProps) {
  const words = useWords(webhooksWords)
  return (
    <ActionDialog
      title={words.removeTitle(endpoint.url)}
      why={words.removeWhy}
      button={words.remove}
      perform={(given) =>
        ask('DELETE /v1/operator/webhooks/{id}', { path: { id: endpoint.id }, ...given })
      }
      renews={CHANGED}
      onDone={() => onDone(words.removed)}
      onClose={onClose}
    />
  )
}

function SwitchEndpoint({ endpoint: { id, url, enabled }, onDone, onClose }: EndpointProps) {
  const words = useWords(webhooksWords)
  return (
    <ActionDialog
      title={url}
      why={enabled ? words.turnOffWhy : words.turnOnWhy}
      button={enabled ? words.turnOff : words.turnOn}
      harmless={!enabled}
      fields={{ enabled: !enabled }}
      perform={(given) => ask('PATCH /v1/operator/webhooks/{id}', { path: { id }, ...given })}
      renews={CHANGED}
      onDone={() => onDone(words.done)}
      onClose={onClose}
    />
  )
}
