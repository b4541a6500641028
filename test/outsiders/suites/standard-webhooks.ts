import { createRequire } from 'node:module'
import { join } from 'node:path'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { newOperator } from '../../support/operators.ts'
import { startReceiver, type Receiver } from '../../support/peers/receiver.ts'
import { npmPackages, pythonPackages } from '../packages.ts'
import { outputOf } from '../program.ts'
import { withService, type Service } from '../service.ts'
import type { Outcome, Suite } from '../suite.ts'

type Given = { secret: string; body: string; headers: Record<string, string> }
type Library = { name: string; verify(given: Given): Promise<unknown> }

/** The libraries of Standard Webhooks read what we send, and refuse what somebody changed. */
export const standardWebhooks: Suite = {
  name: 'standardwebhooks',
  async run(version) {
    const [npm, pypi] = version.split(', ').map((one) => one.split(' ')[1]!)
    const libraries = [await javascript(npm!), await python(pypi!)]
    const receiver = await startReceiver()
    const env = { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', WEBHOOK_ALLOW_PORTS: `${receiver.port}` }
    const read = (service: Service) => readBy(libraries, service, receiver)
    return withService(read, { env }).finally(() => receiver.close())
  },
}

async function javascript(version: string): Promise<Library> {
  const modules = await npmPackages(`standardwebhooks@${version}`)
  const { Webhook } = createRequire(join(modules, 'x.js'))('standardwebhooks') as {
    Webhook: new (secret: string) => { verify(body: string, headers: object): unknown }
  }
  const verify = async ({ secret, body, headers }: Given) =>
    new Webhook(secret).verify(body, headers)
  return { name: 'JavaScript', verify }
}

async function python(version: string): Promise<Library> {
  const programs = await pythonPackages(`standardwebhooks==${version}`)
  const program = join(import.meta.dirname, '../python/verify_webhook.py')
  const verify = (given: Given) =>
    outputOf(join(programs, 'python'), [program, JSON.stringify(given)])
  return { name: 'Python', verify }
}

async function readBy(libraries: Library[], service: Service, receiver: Receiver) {
  const [made, rotated] = await sent(service, receiver)
  const changed = { ...made!, body: made!.body.replace('account_id', 'account_ID') }
  const late = { ...made!, headers: { ...made!.headers, 'webhook-timestamp': '1700000000' } }
  const outcomes: Outcome[] = []
  for (const { name, verify } of libraries) {
    outcomes.push(
      await must(`${name}: what we send is verified`, true, () => verify(made!)),
      await must(`${name}: the new secret after a change`, true, () => verify(rotated!)),
      await must(`${name}: the secret before it`, true, () =>
        verify({ ...rotated!, secret: made!.secret }),
      ),
      await must(`${name}: a changed body is refused`, false, () => verify(changed)),
      await must(`${name}: another time is refused`, false, () => verify(late)),
    )
  }
  return outcomes
}

/** One event with the first secret, one with the next. */
async function sent(service: Service, receiver: Receiver): Promise<Given[]> {
  const owner = await newOperator(service, 'owner')
  const ask = async (line: string, body: object) => {
    const headers = { 'idempotency-key': uuidv7() }
    return (await service.call(line, { token: owner.token, body, headers })).body.data
  }
  const suspend = async () => {
    const { accountId } = await service.customer('0')
    await ask(`POST /v1/operator/accounts/${accountId}/suspension`, { reason: 'a test' })
  }
  const wish = { url: receiver.url, events: ['account.suspended'], description: 'outsiders' }
  const made = (await ask('POST /v1/operator/webhooks', wish)) as { id: string; secret: string }
  await suspend()
  const first = await receiver.nth(1)
  const { secret } = (await ask(`POST /v1/operator/webhooks/${made.id}/secret`, {})) as Given
  await suspend()
  const second = await receiver.nth(2)
  const headersOf = (one: object) => one as Record<string, string>
  return [
    { secret: made.secret, body: first.body, headers: headersOf(first.headers) },
    { secret, body: second.body, headers: headersOf(second.headers) },
  ]
}

async function must(name: string, pass: boolean, act: () => Promise<unknown>): Promise<Outcome> {
  const error = await act().then(
    () => undefined,
    (error: unknown) => String(error),
  )
  if (pass === (error === undefined)) return { name }
  return { name, failure: error ?? 'was taken' }
}
