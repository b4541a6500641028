import type { Answer } from '../../../client/ask.ts'

export type Endpoint = Answer<'GET /v1/operator/webhooks'>['data'][number]

export type EndpointDialog =
  | { kind: 'add'; endpoint?: undefined }
  | { kind: 'change' | 'switch' | 'rotate' | 'remove'; endpoint: Endpoint }

/** What each dialog about one address is given. */
export type EndpointProps = {
  endpoint: Endpoint
  onDone(said: string): void
  onSecret(secret: string): void
  onClose(): void
}
