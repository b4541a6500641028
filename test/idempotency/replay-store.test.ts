import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import type { Answer, Claim, StorableAnswer } from '../../src/lib/answer.ts'
import {
  openStoredAnswers,
  storeEarly,
  storeAnswer,
  type StoredAnswers,
} from '../../src/idempotency/replay-store.ts'
import { withDatabase } from '../support/databases.ts'

const ROUTE = 'POST /v1/embeddings'
const answer: StorableAnswer = {
  status: 201,
  headers: { 'content-type': 'application/json' },
  body: '{"a":"é"}',
}

type ClaimRequest = { accountId: string; key: string; route: string }
const bytesOf = (body: string | Buffer) => Buffer.from(body as string)

withDatabase('replay', (open) => {
  let db: Db
  let storedAnswers: StoredAnswers
  let current: ClaimRequest
  const processId = randomUUID()
  const signal = new AbortController().signal

  before(async () => {
    db = await open()
    storedAnswers = openStoredAnswers({ db, processId })
  })

  const newKey = (): ClaimRequest =>
    (current = { accountId: randomUUID(), key: randomUUID(), route: ROUTE })

  async function claimed(request = newKey()): Promise<Claim> {
    const outcome = await storedAnswers.claim(request)
    assert.equal(outcome.state, 'claimed')
    return (outcome as { claim: Claim }).claim
  }

  test('the first takes the key, the second learns that it runs', async () => {
    await claimed()
    assert.deepEqual(await storedAnswers.claim(current), { state: 'running' })
  })

  test('a kept answer comes back byte for byte', async () => {
    const bytes = Buffer.from([0, 255, 128, 10, 13, 92, 39, 34])
    for (const body of [answer.body, bytes]) {
      const claim = await claimed()
      await storedAnswers.store(claim, { ...answer, body })
      const outcome = await storedAnswers.claim(current)
      assert.equal(outcome.state, 'stored')
      const kept = (outcome as { answer: StorableAnswer }).answer
      assert.equal(kept.status, 201)
      assert.deepEqual(kept.headers, answer.headers)
      assert.deepEqual(bytesOf(kept.body), bytesOf(body))
    }
  })

  test('the key belongs to the account and to the route', async () => {
    await claimed()
    assert.deepEqual(await storedAnswers.claim({ ...current, route: 'POST /v1/videos' }), {
      state: 'other_route',
    })
    await claimed({ ...current, accountId: randomUUID() })
  })

  test('a freed key can be taken again; a kept one is not freed', async () => {
    const claim = await claimed()
    await storedAnswers.free(claim)
    const again = await claimed(current)
    await storedAnswers.store(again, answer)
    await storedAnswers.free(again)
    assert.equal((await storedAnswers.claim(current)).state, 'stored')
  })

  test('a claim of a dead process is taken over, and its late answer changes nothing', async () => {
    const late = await claimed()
    const grow = (seconds: number) =>
      db.query(
        `update idempotency_keys set claimed_at = now() - make_interval(secs => $2) where key = $1`,
        [current.key, seconds],
      )
    await grow(15)
    assert.equal((await storedAnswers.claim(current)).state, 'running')
    await db.query('insert into processes (id, beat_at) values ($1, now())', [processId])
    await grow(60)
    assert.equal((await storedAnswers.claim(current)).state, 'running', 'its process is alive')
    await db.query(`update processes set beat_at = now() - interval '25 seconds' where id = $1`, [
      processId,
    ])
    const successor = await claimed(current)
    await storedAnswers.store(late, { ...answer, body: 'late' })
    await storedAnswers.free(late)
    assert.equal((await storedAnswers.claim(current)).state, 'claimed', 'the process is still dead')
    await db.query('update processes set beat_at = now() where id = $1', [processId])
    await storedAnswers.store(successor, { ...answer, body: 'also late' })
    assert.equal((await storedAnswers.claim(current)).state, 'running')
    await db.query('delete from processes where id = $1', [processId])
  })

  test('after 24 hours the key is new, and the purge removes it', async () => {
    const claim = await claimed()
    await storedAnswers.store(claim, answer)
    const pass = (hours: string) =>
      db.query(
        `update idempotency_keys set expires_at = expires_at - $2::interval where key = $1`,
        [current.key, hours],
      )
    await pass('23 hours 59 minutes')
    assert.equal((await storedAnswers.claim(current)).state, 'stored')
    await pass('1 minute')
    await storedAnswers.store(await claimed(current), answer)
    await pass('24 hours')
    await storedAnswers.tidy(signal)
    const [left] = await db.query<{ n: bigint }>(
      'select count(*) as n from idempotency_keys where key = $1',
      [current.key],
    )
    assert.equal(left!.n, 0n)
  })

  test('many answers are kept in one transaction, or none of them', async () => {
    const requests = Array.from({ length: 20 }, newKey)
    const claims: Claim[] = []
    for (const request of requests) claims.push(await claimed(request))
    const kept = claims.map((claim, i) => ({ claim, answer: { ...answer, body: `answer ${i}` } }))
    const work = db.begin(async (tx) => {
      for (const one of kept) await storeAnswer(tx, one)
      throw new Error('the money could not be settled')
    })
    await assert.rejects(work)
    assert.equal((await storedAnswers.claim(requests[3]!)).state, 'running')
    await db.begin(async (tx) => {
      for (const one of kept) await storeAnswer(tx, one)
    })
    for (const [i, request] of requests.entries()) {
      const outcome = await storedAnswers.claim(request)
      assert.equal(outcome.state, 'stored')
      assert.equal(String((outcome as { answer: StorableAnswer }).answer.body), `answer ${i}`)
    }
  })

  async function keptNow(request = current): Promise<{ length: number; body: Buffer }> {
    const outcome = await storedAnswers.claim(request)
    assert.equal(outcome.state, 'stored')
    const { headers, body } = (outcome as { answer: Answer }).answer
    const bytes = Buffer.isBuffer(body) ? body : await buffer(body as Readable)
    return { length: Number(headers['content-length']), body: bytes }
  }

  const MIB = 1024 * 1024
  const large: [string, string | Buffer][] = [
    ['bytes', randomBytes(17 * MIB)],
    ['plain text', 'a'.repeat(17 * MIB + 3)],
    // Every edge of a piece falls within one of these characters.
    ['text of pairs', `x${'🦒'.repeat(2 * MIB)}`],
    ['text of three bytes each', 'ẞ'.repeat(3 * MIB)],
  ]
  for (const [what, body] of large) {
    test(`a large answer of ${what} is kept in pieces and comes back byte for byte`, async () => {
      const claim = await claimed()
      await storedAnswers.store(claim, { ...answer, body })
      for (let reading = 0; reading < 2; reading++) {
        const kept = await keptNow()
        assert.ok(kept.body.equals(bytesOf(body)), 'the same bytes')
        assert.equal(kept.length, kept.body.length)
      }
      const [most] = await db.query<{ most: number }>(
        'select max(length(bytes)) as most from stored_answer_pieces where claim_id = $1',
        [claim.id],
      )
      assert.ok(most!.most <= 3 * MIB)
    })
  }

  const filler = 'k'.repeat(3 * MIB)
  const drafts: [string, string, string][] = [
    ['at its start', `{"cost":9.69,"data":"${filler}"}`, `{"cost":3.5,"data":"${filler}"}`],
    ['at its end', `{"data":"${filler}","cost":3.5}`, `{"data":"${filler}","cost":9.69}`],
    ['in the middle', `${filler}"cost":9.69${filler}`, `${filler}"cost":1${filler}`],
    ['by what is missing', `${filler}${filler}`, filler],
    ['by what is added', filler, `${filler}${filler}!`],
    ['wholly', filler, 'other'],
  ]
  for (const [where, draft, body] of drafts) {
    test(`an answer that differs ${where} from what was written early is kept as it is`, async () => {
      const claim = await claimed()
      const early = await storeEarly(db, claim, { ...answer, body: draft })
      await db.begin((tx) => storeAnswer(tx, { claim, answer: { ...answer, body }, early }))
      const kept = await keptNow()
      assert.ok(kept.body.equals(Buffer.from(body)), 'the same bytes')
      assert.equal(kept.length, kept.body.length)
    })
  }

  test('pieces go an hour after their answer, and a key that is taken again forgets them', async () => {
    const claim = await claimed()
    const body = randomBytes(3 * MIB)
    await storedAnswers.store(claim, { ...answer, body })
    const pass = (hours: number) =>
      db.query(
        `with row as (update idempotency_keys set expires_at = expires_at - make_interval(hours => $2)
           where claim_id = $1)
         update stored_answer_pieces set written_at = written_at - make_interval(hours => $2)
         where claim_id = $1`,
        [claim.id, hours],
      )
    const pieces = async () =>
      (await db.query('select no from stored_answer_pieces where claim_id = $1', [claim.id])).length
    await pass(23)
    await storedAnswers.tidy(signal)
    assert.ok((await keptNow()).body.equals(body))
    await pass(1)
    const again = await claimed(current)
    await storedAnswers.store(again, answer)
    const outcome = (await storedAnswers.claim(current)) as { answer: StorableAnswer }
    assert.equal(String(outcome.answer.body), answer.body)
    await storedAnswers.tidy(signal)
    assert.equal(await pieces(), 3)
    await pass(2)
    await storedAnswers.tidy(signal)
    assert.equal(await pieces(), 0)
  })

  test('an account with as much kept as it may gets no new key, and its kept answers', async () => {
    const thrifty = openStoredAnswers({ db, processId, budgetBytes: 5_000 })
    const body = 'k'.repeat(2_000)
    const [first, second] = [newKey(), newKey()]
    const { accountId } = first
    for (const request of [first, { ...second, accountId }]) {
      await thrifty.store(await claimed(request), { ...answer, body })
    }
    const third = { ...newKey(), accountId }
    const refused = await thrifty.claim(third)
    assert.equal(refused.state, 'over_budget')
    const { retryAfterS } = refused as { retryAfterS: number }
    assert.ok(retryAfterS > 24 * 3_600 && retryAfterS <= 25 * 3_600, String(retryAfterS))
    assert.equal((await thrifty.claim(first)).state, 'stored')
    assert.equal(
      (await thrifty.claim(newKey())).state,
      'claimed',
      'another account is not concerned',
    )
    await db.query(
      `update stored_answer_sizes set hour = hour - interval '25 hours' where account_id = $1`,
      [accountId],
    )
    assert.equal((await thrifty.claim(third)).state, 'claimed', 'the key was not left claimed')
    await thrifty.tidy(signal)
    assert.deepEqual(
      await db.query('select 1 from stored_answer_sizes where account_id = $1', [accountId]),
      [],
    )
  })

  test('pieces, headers and rows count too; what is not kept does not', async () => {
    const claim = await claimed()
    const kept = async () =>
      (
        await db.query<{ bytes: bigint }>(
          'select bytes from stored_answer_sizes where account_id = $1',
          [claim.accountId],
        )
      ).reduce((sum, row) => sum + Number(row.bytes), 0)
    await storedAnswers.store({ ...claim, id: randomUUID() }, answer)
    assert.equal(await kept(), 0)
    await storedAnswers.store(claim, { ...answer, body: 'k'.repeat(3 * MIB) })
    assert.ok((await kept()) >= 3 * MIB + JSON.stringify(answer.headers).length)
    const before = await kept()
    await storedAnswers.store(claim, answer)
    assert.equal(await kept(), before, 'kept once, counted once')
  })
})
