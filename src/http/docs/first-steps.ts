import { escape } from './fields.ts'

/** From nothing to a first answer, with curl alone. */
export function firstSteps(base: string): string {
  const steps: [string, string][] = [
    [
      'Register, and read the six-digit code that is sent to you.',
      `BASE=${base}
curl "$BASE/v1/auth/register" -H 'Content-Type: application/json' \\
  -d '{"full_name":"Asha Juma","email":"asha@example.com","password":"choose-a-long-one"}'`,
    ],
    [
      'Verify the code. The answer holds your access token; new accounts get free credits.',
      `curl "$BASE/v1/auth/otp/verify" -H 'Content-Type: application/json' \\
  -d '{"identifier":"asha@example.com","channel":"email","purpose":"verify_email","code":"123456"}'`,
    ],
    [
      'Make an API key. It is shown once.',
      `curl "$BASE/v1/api-keys" -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -H 'Content-Type: application/json' -d '{"name":"first"}'`,
    ],
    ['See which models there are.', `curl "$BASE/v1/models" -H "Authorization: Bearer $API_KEY"`],
    [
      'Ask one of them.',
      `curl "$BASE/v1/chat/completions" -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"MODEL","messages":[{"role":"user","content":"Habari ya leo?"}]}'`,
    ],
  ]
  const items = steps.map(([why, command]) => `<li>${why}<pre>${escape(command)}</pre></li>`)
  return `<section id="first-steps"><h2>First steps</h2><ol>${items.join('\n')}</ol>
<p>Clients of OpenAI's format work as they are: set their base address to
<code>${escape(base)}/v1</code> and their key to yours. Every answer carries
<code>X-Request-Id</code>; name it when you ask for help. To retry safely, send an
<code>Idempotency-Key</code> of your own with the request.</p></section>`
}
