import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import type { RequestContext } from '../../src/http/request-context.ts'
import { validateInput } from '../../src/http/schema.ts'
import { Failure } from '../../src/lib/failure.ts'

const schema = z.object({
  name: z.string().min(1).max(5),
  count: z.int().min(2).max(9),
  share: z.number().positive().lt(1).optional(),
  on: z.boolean().optional(),
  kind: z.enum(['one', 'two']).optional(),
  only: z.literal('this').optional(),
  id: z.uuid().optional(),
  list: z.array(z.string()).max(2).optional(),
  either: z.union([z.string(), z.number()]).optional(),
  own: z.string().max(3, 'must be short').optional(),
  strict: z.strictObject({ a: z.string().optional() }).optional(),
})

const cases: [object, string][] = [
  [{ name: undefined }, 'name is required.'],
  [{ name: null }, 'name is required.'],
  [{ name: '' }, 'name must not be empty.'],
  [{ name: 'abcdef' }, 'name must have at most 5 characters.'],
  [{ count: 1.5 }, 'count must be a whole number.'],
  [{ count: 1 }, 'count must be at least 2.'],
  [{ count: 10 }, 'count must be at most 9.'],
  [{ share: 0 }, 'share must be more than 0.'],
  [{ share: 1 }, 'share must be less than 1.'],
  [{ on: 'yes' }, 'on must be true or false.'],
  [{ kind: 'three' }, 'kind must be one of one, two.'],
  [{ only: 'that' }, 'only must be this.'],
  [{ id: 'x' }, 'id must be a UUID.'],
  [{ list: 'x' }, 'list must be an array.'],
  [{ list: ['a', 5] }, 'list[1] must be a string.'],
  [{ list: ['a', 'b', 'c'] }, 'list must have at most 2 items.'],
  [{ either: true }, 'either is not valid.'],
  [{ name: ['a', 'b'] }, 'name must be given once.'],
  [{ kind: ['one', 'two'] }, 'kind must be given once.'],
  [{ own: 'long' }, 'own must be short.'],
  [{ strict: 1 }, 'strict must be a JSON object.'],
  [{ strict: { b: 1, c: 2 } }, 'strict has fields that are not known here: b, c.'],
]

for (const [wrong, sentence] of cases) {
  test(sentence, () => {
    const failure = failureFor({ name: 'a', count: 2, ...wrong })
    assert.equal(failure.message, sentence)
    assert.equal(failure.param, sentence.slice(0, sentence.indexOf(' ')))
  })
}

test('what is wrong as a whole names no field', () => {
  const failure = failureFor([])
  assert.equal(failure.message, 'The query must be a JSON object.')
  assert.equal(failure.param, undefined)
})

function failureFor(query: unknown): Failure {
  const call = { plan: { route: { query: schema }, bodyKind: 'none' }, query }
  try {
    validateInput(call as unknown as RequestContext, undefined)
  } catch (error) {
    assert.ok(error instanceof Failure && error.kind === 'invalid')
    return error
  }
  return assert.fail('It was accepted.')
}
