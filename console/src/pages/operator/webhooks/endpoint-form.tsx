import { useState } from 'react'
import { ask, type AskOptions } from '../../../client/ask.ts'
import { Field } from '../../../parts/form/field.tsx'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog, type Given } from '../action-dialog.tsx'
import type { EndpointProps } from './types.ts'
import { webhooksWords } from './words.ts'

type Body = Exclude<AskOptions<'POST /v1/operator/webhooks'>['body'], FormData | undefined>
type Event = Body['events'][number]

/** Without an endpoint, one is added. */
type Props = Omit<EndpointProps, 'endpoint'> & Partial<Pick<EndpointProps, 'endpoint'>>

export function EndpointForm({ endpoint, onSecret, onDone, onClose }: Props) {
  const words = useWords(webhooksWords)
  const all = Object.keys(words.kinds) as Event[]
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [events, setEvents] = useState<readonly Event[]>(
    endpoint ? all.filter((one) => endpoint.events.includes(one)) : all,
  )
  const toggle = (event: Event) =>
    setEvents(events.includes(event) ? events.filter((one) => one !== event) : [...events, event])
  const perform = async ({ body: { reason }, idempotencyKey }: Given) => {
    const body = { url: url.trim(), description: description.trim(), events: [...events], reason }
    if (endpoint === undefined) {
      return (await ask('POST /v1/operator/webhooks', { body })).data.secret
    }
    const path = { id: endpoint.id }
    await ask('PATCH /v1/operator/webhooks/{id}', { path, body, idempotencyKey })
    return undefined
  }
  return (
    <ActionDialog
      title={endpoint ? words.change : words.add}
      why={endpoint ? words.changeWhy : words.addWhy}
      button={endpoint ? words.save : words.add}
      harmless
      disabled={!/^https?:\/\/\S+$/.test(url.trim()) || events.length === 0}
      kinds={{ validation_error: words.urlWrong, conflict: words.tooMany }}
      perform={perform}
      renews={['GET /v1/operator/webhooks']}
      onDone={(secret) => (secret === undefined ? onDone(words.done) : onSecret(secret))}
      onClose={onClose}
    >
      <Field
        label={words.url}
        type="url"
        value={url}
        onChange={setUrl}
        placeholder="https://"
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        label={words.description}
        optional
        value={description}
        onChange={setDescription}
        maxLength={200}
        autoComplete="off"
      />
      <fieldset className="flex flex-col">
        <legend className="text-sm font-semibold">{words.events}</legend>
        {all.map((event) => (
          <label key={event} className="flex min-h-11 items-center gap-3">
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={() => toggle(event)}
              className="size-5 accent-green"
            />
            {words.kinds[event]}
          </label>
        ))}
      </fieldset>
    </ActionDialog>
  )
}
