import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { insertMessage } from '../../src/notices/outbox-store.ts'
import { outboxCommand } from '../../src/cli/outbox.ts'
import { freshDb } from '../support/databases.ts'

let db: Db
before(async () => {
  db = await freshDb()
})
after(() => db.close())

async function run(...args: string[]) {
  const lines: string[] = []
  const code = await outboxCommand.run(args, { db, print: (line) => lines.push(line) })
  return { code, text: lines.join('\n') }
}

const bury = (id: string) =>
  db.query(`update outbox set state = 'dead', last_error = 'smtp_550' where id = $1`, [id])

test('list shows what waits and what died, never what it says', async () => {
  const [waiting, dead] = [uuidv7(), uuidv7()]
  const letter = { channel: 'email' as const, to: 'asha@example.com', subject: 'S', text: '123456' }
  await insertMessage(db, { id: waiting, ...letter })
  await insertMessage(db, { id: dead, ...letter })
  await bury(dead)
  const all = await run('list')
  assert.equal(all.code, 0)
  assert.ok(all.text.includes(waiting) && all.text.includes(dead))
  assert.ok(!all.text.includes('123456'))
  const buried = await run('list', '--state', 'dead')
  assert.ok(!buried.text.includes(waiting) && buried.text.includes('smtp_550'))
})

test('resend puts a dead letter back, once', async () => {
  const id = uuidv7()
  await insertMessage(db, { id, channel: 'sms', to: '+255712345678', subject: 'S', text: 'T' })
  await bury(id)
  assert.equal((await run('resend', id)).code, 0)
  assert.equal((await run('resend', id)).code, 1)
  for (const id of [uuidv7(), 'nonsense', '']) assert.equal((await run('resend', id)).code, 1)
})

test('anything else is answered with the usage', async () => {
  for (const args of [[], ['burn'], ['list', '--state', 'odd'], ['list', '--limit', '0']]) {
    const { code, text } = await run(...args)
    assert.equal(code, 2)
    assert.match(text, /outbox resend/)
  }
})
