import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argumentsFor, valueForSchema } from '../../simulator/models/schema-value.ts'

const TEXT = { type: 'string' }

test('arguments are an object, also of a tool without a schema', () => {
  for (const schema of [undefined, null, {}, true, { type: 'object' }, { type: 'string' }]) {
    assert.deepEqual(argumentsFor(schema, 'Habari'), {}, JSON.stringify(schema))
  }
})

test('a value fits its schema: what is required, of its type, and one of the choices', () => {
  const made = (schema: unknown) => valueForSchema(schema, 'I am Neema, 4711')
  const properties = { city: TEXT, count: { type: 'integer' }, more: TEXT }
  const required = ['city', 'count']
  assert.deepEqual(made({ type: 'object', properties, required }), { city: 'Neema', count: 4711 })
  assert.deepEqual(made({ properties: { a: { type: ['string', 'null'] } } }), { a: 'Neema' })
  assert.deepEqual(made({ type: 'object', required: ['unknown'] }), { unknown: 'Neema' })
  assert.equal(made({ enum: ['read', 'write'] }), 'read')
  assert.equal(made({ const: 7 }), 7)
  assert.deepEqual(made({ type: 'array', items: TEXT, minItems: 2 }), ['Neema', 'Neema'])
  assert.equal(made({ type: 'integer', minimum: 1, maximum: 10 }), 10)
  assert.equal(made({ type: 'string', maxLength: 2 }), 'Ne')
  assert.equal(made({ type: 'string', format: 'date' }), '2026-01-31')
})

test('references and alternatives are followed, circles are left', () => {
  const $defs = { place: { type: 'object', properties: { city: TEXT } } }
  const schema = {
    $defs,
    type: 'object',
    properties: {
      from: { $ref: '#/$defs/place' },
      to: { anyOf: [{ $ref: '#/$defs/place' }, { type: 'null' }] },
      both: { allOf: [{ properties: { a: TEXT } }, { properties: { b: TEXT } }] },
    },
  }
  assert.deepEqual(valueForSchema(schema, 'x'), {
    from: { city: 'x' },
    to: { city: 'x' },
    both: { a: 'x', b: 'x' },
  })
  const again = { $ref: '#' }
  const circle = { properties: { a: again, b: again, c: again, d: again } }
  assert.ok(JSON.stringify(valueForSchema(circle, 'x')).length < 100_000)
  assert.deepEqual(argumentsFor({ $ref: '#' }, 'x'), {})
})
