import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import type { CatalogIndex, CatalogModel } from '../../../src/catalog/catalog-index.ts'
import { findModel } from '../../../src/gateway/messages/messages.ts'
import { Failure } from '../../../src/lib/failure.ts'

const models = [
  'anthropic/claude-sonnet-4.5',
  'anthropic/claude-3.5-haiku',
  'anthropic/claude-opus-4',
  'anthropic/claude-opus-4-20250514',
  'sim/hekima-1.5',
].map((id) => ({ id }) as CatalogModel)
const byId = new Map(models.map((model) => [model.id, model]))
const index: CatalogIndex = { models, byId, untilMs: Infinity }
const catalog = { index: () => index, find: (id) => byId.get(id) } as Catalog

const found = (asked: string) => {
  try {
    return findModel(catalog, asked).id
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'model_not_found')
    return undefined
  }
}

test('a model is found by its id, and by the names that clients have built in', () => {
  const sonnet = 'anthropic/claude-sonnet-4.5'
  const names = [
    sonnet,
    `${sonnet}[1m]`,
    'claude-sonnet-4.5',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'claude-sonnet-4-5-20250929[1m]',
    'claude-sonnet-4-5-latest',
    'anthropic/claude-sonnet-4-5-20250929',
  ]
  for (const name of names) assert.equal(found(name), sonnet, name)
  assert.equal(found('claude-3-5-haiku-20241022'), 'anthropic/claude-3.5-haiku')
  assert.equal(found('sim/hekima-1-5'), 'sim/hekima-1.5')
})

test('a name that several models have, or none, is of no model', () => {
  assert.equal(found('anthropic/claude-opus-4'), 'anthropic/claude-opus-4')
  for (const name of [
    'claude-opus-4',
    'claude-opus-4-20250101',
    'claude-haiku',
    '',
    'hekima-1.5',
  ]) {
    assert.equal(found(name), undefined, name)
  }
})
