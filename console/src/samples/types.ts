/** One call of the API, as the page itself makes it. */
export type SampleCall = {
  path: `/v1/${string}`
  /** Sent as JSON. */
  body?: Record<string, unknown>
  /** The member of the body that takes this file in base64. */
  inBase64?: { member: string; file: string }
  /** Sent as a form instead, with a file. */
  form?: { fields: Record<string, string>; file: string; type: string }
  headers?: Record<string, string>
  /** What comes back: text unless it is said here. */
  answer?: 'stream' | 'sound' | 'pictures'
}
