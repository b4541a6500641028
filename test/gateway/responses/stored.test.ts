import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Db } from '../../../src/db/db.ts'
import { wholeConversation } from '../../../src/gateway/responses/stored/history.ts'
import { inputItems } from '../../../src/gateway/responses/request/item-kinds.ts'
import { storageFor } from '../../../src/gateway/responses/stored/storage.ts'
import {
  deleteResponse,
  listInputItems,
  showResponse,
} from '../../../src/gateway/responses/stored/stored-responses.ts'
import {
  deleteAllStoredResponses,
  purgeStoredResponses,
  purgeResponsesOverLimit,
} from '../../../src/gateway/responses/stored/stored-responses-store.ts'
import { Failure } from '../../../src/lib/failure.ts'
import type { Fields } from '../../../src/lib/json.ts'
import { randomBase62, uuidv7 } from '../../../src/lib/ids.ts'
import { withDatabase } from '../../support/databases.ts'

withDatabase('responses that are stored', (open) => {
  let db: Db
  const accountId = uuidv7()

  before(async () => {
    db = await open()
  })

  /** Keeps a response with one message; gives its id. */
  async function store(
    input: unknown,
    said: string,
    {
      previousId,
      owner = accountId,
      tokens,
    }: { previousId?: string; owner?: string; tokens?: number } = {},
  ) {
    const seed = randomBase62(24)
    const storage = storageFor({ accountId: owner, seed, previousId, days: 30 }, inputItems(input))
    const content = [{ type: 'output_text', text: said }]
    const item = { id: `msg_${seed}0`, type: 'message', role: 'assistant', content }
    const whole = storage.store(() => ({
      id: `resp_${seed}`,
      output: [item],
      usage: { input_tokens: tokens },
    }))
    // The same commit may be tried twice.
    for (const one of [...storage.writes(), ...storage.writes()]) {
      assert.ok('write' in one)
      await one.write(db)
    }
    return { id: `resp_${seed}`, itemId: item.id, whole, possible: storage.possible }
  }

  const asked: { tokens: number[]; held: number[] } = { tokens: [], held: [] }

  /** What is asked before anything is read is noted. */
  async function converse(
    input: unknown,
    { previousId, roomBytes = 14_500_000 }: { previousId?: string; roomBytes?: number } = {},
  ) {
    asked.tokens = []
    asked.held = []
    const reading = {
      db,
      accountId,
      roomBytes,
      requireFunds: async (tokens: number) => void asked.tokens.push(tokens),
      hold: (bytes: number) => void asked.held.push(bytes),
    }
    return wholeConversation(reading, inputItems(input), previousId)
  }

  const historyOf = async (previousId: string) => (await converse([], { previousId })).items
  const withReferences = async (input: unknown) => (await converse(input)).own
  const refer = (id: string) => withReferences([{ type: 'item_reference', id }])

  const texts = (items: { item: Fields }[]) =>
    items.map(({ item }) => (item.content as Fields[])[0]!.text)

  const failsWith = (kind: string, code: string | undefined) => (error: unknown) =>
    error instanceof Failure && error.kind === kind && error.code === code

  test('a chain is told from its beginning', async () => {
    const first = await store('a', 'b')
    const second = await store('c', 'd', { previousId: first.id })
    assert.deepEqual(texts(await historyOf(second.id)), ['a', 'b', 'c', 'd'])
    assert.deepEqual(texts(await historyOf(first.id)), ['a', 'b'])
  })

  test('an unknown, foreign, expired or broken chain cannot be continued', async () => {
    const lost = failsWith('invalid', 'previous_response_not_found')
    for (const id of [`resp_${'x'.repeat(24)}`, 'resp_a\0b', '']) {
      await assert.rejects(historyOf(id), lost)
    }
    const foreign = await store('a', 'b', { owner: uuidv7() })
    await assert.rejects(historyOf(foreign.id), lost)
    const first = await store('a', 'b')
    const second = await store('c', 'd', { previousId: first.id })
    await expire(first.id)
    await assert.rejects(historyOf(first.id), lost)
    await assert.rejects(historyOf(second.id), lost)
  })

  test('a chain has a longest length', async () => {
    let previousId: string | undefined
    for (let i = 0; i < 201; i++) {
      const { id } = await store(`${i}`, 'x', previousId === undefined ? {} : { previousId })
      if (i === 199) assert.equal((await historyOf(id)).length, 400)
      previousId = id
    }
    await assert.rejects(historyOf(previousId!), /too long/)
  })

  async function expire(id: string) {
    await db.query('update stored_responses set expires_at = now() where id = $1', [id])
  }

  test('items are referred to by their ids: stored, foreign, expired', async () => {
    const mine = await store([{ role: 'user', content: 'q' }], 'said')
    const seed = mine.id.slice('resp_'.length)
    const input = [
      { type: 'item_reference', id: mine.itemId },
      { id: `msg_${seed}i0` },
      { role: 'user', content: [{ type: 'input_text', text: 'new' }] },
    ]
    const found = await withReferences(input)
    assert.deepEqual(texts(found), ['said', 'q', 'new'])
    assert.deepEqual(
      found.map(({ at }) => at),
      ['input[0]', 'input[1]', 'input[2]'],
    )
    const foreign = await store('q', 'said', { owner: uuidv7() })
    const lost = failsWith('not_found', undefined)
    for (const id of [foreign.itemId, 'msg_1', `msg_${seed}9`, ''])
      await assert.rejects(refer(id), lost)
    await expire(mine.id)
    await assert.rejects(refer(mine.itemId), lost)
  })

  test('what is too large is neither read nor continued, but its items can be referred to', async () => {
    const large = await store('x'.repeat(1_000_000), 'short')
    assert.deepEqual([large.possible, large.whole], [false, false])
    await assert.rejects(historyOf(large.id), /gone, or it is too long/)
    await assert.rejects(showResponse(db, { accountId, id: large.id, encrypted: false }))
    const [item] = await refer(large.itemId)
    assert.equal((item!.item.content as Fields[])[0]!.text, 'short')
    const larger = await store('x', 'x'.repeat(1_000_000))
    assert.equal(larger.whole, false)
    await assert.rejects(showResponse(db, { accountId, id: larger.id, encrypted: false }))
  })

  test('an item that is named again and again counts each time, and is read once', async () => {
    const { itemId, id } = await store('q', 'x'.repeat(1_000))
    await refer(itemId)
    const [bytes, expanded] = asked.held
    assert.ok(bytes! > expanded! && expanded! > 1_000)
    const times = (count: number) => Array.from({ length: count }, () => ({ id: itemId }))
    const all = await converse(times(50), { roomBytes: 50 * expanded! })
    assert.equal(all.own.length, 50)
    assert.equal(new Set(all.own.map(({ item }) => item)).size, 1)
    assert.deepEqual(asked.held, [bytes, 50 * expanded!])
    const tooMuch = failsWith('invalid', 'context_length_exceeded')
    await assert.rejects(converse(times(50), { roomBytes: 50 * expanded! - 1 }), tooMuch)
    assert.deepEqual(asked.held, [bytes], 'it is refused before it is put together')
    await assert.rejects(converse(times(10_001)), /more than 10000 parts/)
    await assert.rejects(converse(times(9_999), { previousId: id }), tooMuch)
  })

  test('what is asked for is measured, paid for and given room before it is read', async () => {
    const first = await store('a'.repeat(50_000), 'b', { tokens: 7 })
    const second = await store('c', 'd', { previousId: first.id, tokens: 20_007 })
    const previousId = second.id
    await converse([], { previousId })
    assert.deepEqual(asked.tokens, [20_007])
    const [bytes] = asked.held
    assert.ok(bytes! > 50_000)
    const tooLong = failsWith('invalid', 'previous_response_not_found')
    await assert.rejects(converse([], { previousId, roomBytes: bytes! - 1 }), tooLong)
    assert.deepEqual([asked.tokens, asked.held], [[], []])
    const seed = first.id.slice('resp_'.length)
    const large = [{ id: `msg_${seed}i0` }]
    const tooMuch = failsWith('invalid', 'context_length_exceeded')
    await assert.rejects(converse(large, { roomBytes: 50_000 }), tooMuch)
    assert.deepEqual([asked.tokens, asked.held], [[], []])
    // Of a response whose answer is referred to, the input is not read.
    await refer(first.itemId)
    assert.ok(asked.held[0]! < 1_000)
  })

  test('a text that a table would refuse is stored', async () => {
    const { id } = await store('a\0b', '\0\u{1f600}')
    assert.deepEqual(texts(await historyOf(id)), ['a\0b', '\0\u{1f600}'])
  })

  test('shown, listed and deleted by its owner alone', async () => {
    const items = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }))
    const { id } = await store(items, 'said')
    const page = { limit: 2, order: 'asc' } as const
    const other = { accountId: uuidv7(), id }
    const gone = failsWith('not_found', undefined)
    await assert.rejects(showResponse(db, { ...other, encrypted: false }), gone)
    await assert.rejects(listInputItems(db, other, page), gone)
    await assert.rejects(deleteResponse(db, other), gone)
    const mine = { accountId, id }
    assert.equal((await showResponse(db, { ...mine, encrypted: false })).id, id)
    const first = await listInputItems(db, mine, page)
    assert.deepEqual([(first.data as Fields[]).length, first.has_more], [2, true])
    const rest = await listInputItems(db, mine, { ...page, after: first.last_id as string })
    assert.deepEqual([(rest.data as Fields[]).length, rest.has_more], [1, false])
    const newest = await listInputItems(db, mine, { limit: 1, order: 'desc' })
    assert.equal(newest.first_id, rest.last_id)
    assert.deepEqual(await deleteResponse(db, mine), { id, object: 'response', deleted: true })
    await assert.rejects(deleteResponse(db, mine), gone)
    await assert.rejects(showResponse(db, { ...mine, encrypted: false }), gone)
  })

  test('what has expired is purged, and an account keeps only so much', async () => {
    await db.query('delete from stored_responses')
    const owner = uuidv7()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push((await store('x'.repeat(1_000), `${i}`, { owner })).id)
    await expire(ids[0]!)
    assert.equal(await purgeStoredResponses(db, 100), 1)
    const left = async () =>
      (
        await db.query<{ id: string }>(
          'select id from stored_responses where account_id = $1 order by created_at',
          [owner],
        )
      ).map(({ id }) => id)
    assert.deepEqual(await left(), ids.slice(1))
    assert.equal(await purgeResponsesOverLimit(db, 100, 2_800), 2)
    assert.deepEqual(await left(), ids.slice(3))
    await deleteAllStoredResponses(db, owner)
    assert.deepEqual(await left(), [])
  })
})
