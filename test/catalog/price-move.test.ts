import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leapBetween, samePrice } from '../../src/catalog/price-move.ts'
import type { ListedPrice } from '../../src/catalog/model-record.ts'
import { decimal } from '../../src/lib/decimal.ts'

const guard = decimal('3')
const price = (
  pricing: ListedPrice['pricing'],
  priced: ListedPrice['priced'] = 'paid',
  priceBasis: ListedPrice['priceBasis'] = 'token',
): ListedPrice => ({ pricing, priced, priceBasis })
const leap = (old: ListedPrice, next: ListedPrice) => leapBetween(old, next, guard)
const base = price({ prompt: '0.000001', completion: '0.000002' })

const cases: [string, ListedPrice, ListedPrice, string | undefined][] = [
  ['nothing moved', base, base, undefined],
  [
    'exactly three times is allowed',
    base,
    price({ prompt: '0.000003', completion: '0.000002' }),
    undefined,
  ],
  [
    'a hair more is not',
    base,
    price({ prompt: '0.0000030000001', completion: '0.000002' }),
    'moved',
  ],
  [
    'down by more than three times',
    base,
    price({ prompt: '0.0000003', completion: '0.000002' }),
    'moved',
  ],
  ['one price gone', base, price({ prompt: '0.000001' }), 'vanished'],
  ['one price zero', base, price({ prompt: '0.000001', completion: '0' }), 'vanished'],
  ['all free', base, price({ prompt: '0', completion: '0' }, 'free'), 'vanished'],
  ['no price at all', base, price({}, 'unpriced', 'unknown'), 'vanished'],
  ['a first price', price({}, 'unpriced', 'unknown'), base, undefined],
  ['free no more', price({ prompt: '0', completion: '0' }, 'free'), base, 'moved'],
  ['a fee out of nothing', base, price({ ...base.pricing, request: '0.1' }), 'moved'],
  [
    'a cache discount out of nothing',
    base,
    price({ ...base.pricing, input_cache_read: '0.0000001' }),
    undefined,
  ],
  ['counted in another unit', base, price(base.pricing, 'paid', 'second'), 'moved'],
  [
    'a video price leaps',
    price({ video_skus: [{ sku: 'duration_seconds', unit: 'second', cost_usd: '0.1' }] }),
    price({ video_skus: [{ sku: 'duration_seconds', unit: 'second', cost_usd: '10' }] }),
    'moved',
  ],
  [
    'an image price vanishes',
    price({ image_skus: [{ billable: 'output_image', unit: 'image', cost_usd: '0.04' }] }),
    price({ image_skus: [{ billable: 'input_text', unit: 'token', cost_usd: '0.04' }] }),
    'vanished',
  ],
  [
    'a long-context price leaps',
    price({ prompt: '1', overrides: [{ min_prompt_tokens: 9, prices: { prompt: '2' } }] }),
    price({ prompt: '1', overrides: [{ min_prompt_tokens: 9, prices: { prompt: '20' } }] }),
    'moved',
  ],
]
for (const [name, old, next, wanted] of cases) {
  test(`${name}: ${wanted ?? 'taken at once'}`, () => assert.equal(leap(old, next), wanted))
}

test('the same price is the same in any order of its members', () => {
  const other = price({ completion: '0.000002', prompt: '0.000001' })
  assert.ok(samePrice(base, other))
  assert.ok(!samePrice(base, price({ prompt: '0.000001', completion: '0.0000021' })))
})
