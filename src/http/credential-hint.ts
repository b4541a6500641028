import type { IncomingMessage } from 'node:http'

/**
 * What is wrong with a credential that was refused, by its form alone: whoever guesses learns nothing.
 * Nothing of it is repeated.
 */
export function credentialHint({ headers, url = '' }: Sent): string {
  const { authorization } = headers
  const apiKey = [headers['x-api-key']].flat()[0]
  if (authorization === undefined && apiKey === undefined) return misplaced(headers, url)
  if (authorization !== undefined && !/^Bearer(?: |$)/i.test(authorization)) {
    return apiKey === undefined ? `Authorization is not in this form: ${SEND}` : formOf(apiKey)
  }
  const sent = [authorization?.slice(BEARER.length), apiKey].filter((one) => one !== undefined)
  const ours = sent.filter((one) => one.startsWith('mlg_'))
  if (new Set(ours).size > 1) {
    return 'Authorization and X-Api-Key hold two different keys. Send one.'
  }
  return formOf(ours[0] ?? sent[0]!)
}

type Sent = Pick<IncomingMessage, 'headers' | 'url'>

const BEARER = 'Bearer '
const SEND = 'send `Authorization: Bearer mlg_…`, with your API key for `mlg_…`.'

/** No credential where one is read. */
function misplaced(headers: IncomingMessage['headers'], url: string): string {
  if (IN_ADDRESS.test(url)) {
    return `A key in the address is not read, and may be in somebody's log: revoke it, and ${SEND}`
  }
  const name = ELSEWHERE.find((header) => headers[header] !== undefined)
  if (name !== undefined) return `The header ${name} is not read: ${SEND}`
  return `No credential was sent: ${SEND}`
}

const IN_ADDRESS = /[?&](?:api[-_]?key|key|access_token|token)=/i
const ELSEWHERE = [
  'api-key',
  'apikey',
  'x-goog-api-key',
  'x-auth-token',
  'x-access-token',
  'openai-api-key',
  'anthropic-api-key',
]

function formOf(credential: string): string {
  const form = FORMS.find(([found]) => found.test(credential))
  return form === undefined ? UNKNOWN : form[1]
}

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^$/, `The key is empty: ${SEND}`],
  [
    /[\s"'`<>]|%20|\\n/,
    'There are spaces, quotation marks or brackets in the key. Send it without.',
  ],
  [/[${}]/, 'The name of a variable was sent in place of its value.'],
  [
    /[^\x21-\x7e]|\*|\.\.\./,
    'The key was shortened when it was copied. It is shown whole only when it is made.',
  ],
  [/^Bearer/i, 'The word Bearer was sent twice. Give the client the key alone.'],
  [/^mlg_.{46}$/, 'The key is unknown, revoked or expired: see the API keys of your account.'],
  [/^mlg_/, 'The key is not whole: ours have 50 characters. Copy it again.'],
  [/^ey/, 'Access tokens live 15 minutes: get another one, or use an API key.'],
]
const UNKNOWN = 'This is a key of another service: ours begin with `mlg_`.'
