import { escape } from './fields.ts'

type Step = [why: string, command: string]

/**
 * From nothing to a first answer, with curl alone. Each step sets what the next one needs. A service
 * without a public address is tried on its own machine, where messages are usually files.
 */
export function gettingStarted(base: string, isLocal: boolean): string {
  const steps: Step[] = [
    [
      'Create an account. A six-digit code is sent to your email address.',
      `BASE=${base}/v1
EMAIL=${isLocal ? '"asha+$(date +%s)@example.com"' : 'asha@example.com'}
curl -sS -w '\\n' "$BASE/auth/register" -H 'Content-Type: application/json' \\
  -d "{\\"full_name\\":\\"Asha Juma\\",\\"email\\":\\"$EMAIL\\",\\"password\\":\\"a long pass phrase\\"}"`,
    ],
    isLocal ? codeFromFolder : codeFromMail,
    [
      'Verify your address with the code. The response contains your access token. New accounts start with free credits.',
      `TOKEN=$(curl -sS "$BASE/auth/otp/verify" -H 'Content-Type: application/json' \\
  -d "{\\"identifier\\":\\"$EMAIL\\",\\"channel\\":\\"email\\",\\"purpose\\":\\"verify_email\\",\\"code\\":\\"\${CODE:?has not arrived}\\"}" \\
  | grep -o '"access_token":"[^"]*"' | cut -d'"' -f4)`,
    ],
    [
      'Create an API key. Save it: it is shown only once.',
      `KEY=$(curl -sS "$BASE/api-keys" -H "Authorization: Bearer \${TOKEN:?is missing: the code was not accepted}" \\
  -H 'Content-Type: application/json' -d '{"name":"first"}' | grep -o '"key":"[^"]*"' | cut -d'"' -f4)
echo "$KEY"`,
    ],
    [
      'List the available models.',
      `curl -sS -w '\\n' "$BASE/models" -H "Authorization: Bearer \${KEY:?is missing: the key was not made}"`,
    ],
    [
      `Send your first message. Replace ${isLocal ? 'sim/hekima' : 'MODEL'} with the id of any model that produces text.`,
      `curl -sS -w '\\n' "$BASE/chat/completions" -H "Authorization: Bearer \${KEY:?is missing: the key was not made}" \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${isLocal ? 'sim/hekima' : 'MODEL'}","messages":[{"role":"user","content":"Habari ya leo?"}]}'`,
    ],
  ]
  const items = steps.map(
    ([why, command]) => `<li>${escape(why)}<pre>${escape(command)}</pre></li>`,
  )
  return `<section id="getting-started"><h2>Getting started</h2>
<p>Run these commands one after the other in the same shell.</p><ol>${items.join('\n')}</ol>
<p>OpenAI client libraries work unchanged: set the base URL to
<code>${escape(base)}/v1</code> and the API key to yours. Every response has an
<code>X-Request-Id</code> header; quote it when you ask for help. To retry a request safely, send
it with an <code>Idempotency-Key</code> header of your choice.</p></section>`
}

const codeFromMail: Step = [
  'Wait for the message, which may take a moment, and enter its code here.',
  'CODE=123456',
]

const codeFromFolder: Step = [
  'Wait for the code. Without a mail server, messages are written to data/outbox, in the folder where the service was started: run this there. With a mail server, set CODE to the code in the message.',
  `CODE= TRIES=0
while [ -z "$CODE" ] && [ $TRIES -lt 15 ]; do
  sleep 1; TRIES=$((TRIES + 1))
  MAIL=$(grep -rlsF "\\"to\\": \\"$EMAIL\\"" data/outbox | sort | tail -1)
  CODE=$(grep -s '"text"' "$MAIL" | grep -o '[0-9]\\{6\\}' | head -1)
done
echo "$CODE"`,
]
