import { escape } from './fields.ts'

/** From nothing to a first answer, with curl alone. */
export function gettingStarted(base: string): string {
  const steps: [string, string][] = [
    [
      'Create an account. You will receive a six-digit code.',
      `BASE=${base}
curl "$BASE/v1/auth/register" -H 'Content-Type: application/json' \\
  -d '{"full_name":"Asha Juma","email":"asha@example.com","password":"choose-a-long-one"}'`,
    ],
    [
      'Confirm the code. The response contains your access token. New accounts start with free credits.',
      `curl "$BASE/v1/auth/otp/verify" -H 'Content-Type: application/json' \\
  -d '{"identifier":"asha@example.com","channel":"email","purpose":"verify_email","code":"123456"}'`,
    ],
    [
      'Create an API key. Save it: it is shown only once.',
      `curl "$BASE/v1/api-keys" -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -H 'Content-Type: application/json' -d '{"name":"first"}'`,
    ],
    ['List the available models.', `curl "$BASE/v1/models" -H "Authorization: Bearer $API_KEY"`],
    [
      'Send your first message. Put the id of a model in place of MODEL.',
      `curl "$BASE/v1/chat/completions" -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"MODEL","messages":[{"role":"user","content":"Habari ya leo?"}]}'`,
    ],
  ]
  const items = steps.map(([why, command]) => `<li>${why}<pre>${escape(command)}</pre></li>`)
  return `<section id="getting-started"><h2>Getting started</h2><ol>${items.join('\n')}</ol>
<p>OpenAI client libraries work unchanged: set the base URL to
<code>${escape(base)}/v1</code> and the API key to yours. Every response has an
<code>X-Request-Id</code> header; quote it when you ask for help. To retry a request safely, send
it with an <code>Idempotency-Key</code> header of your choice.</p></section>`
}
