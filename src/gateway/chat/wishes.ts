import { invalidField } from '../../lib/failure.ts'
import { decimal, plainDecimal, type Decimal } from '../../lib/decimal.ts'
import { fieldsOf, isFields, type Fields } from '../../lib/json.ts'
import type { LimitedPrice } from '../price/dearest-price.ts'
import { neededIn, type Needed } from './needed.ts'

/** What a caller wants of whoever answers. No upstream is named by it. */
export type Wishes = {
  /** What the model must know, by the field that asks for it. */
  needed: readonly Needed[]
  /** In dollars a million tokens, a request, a picture. */
  mostPaid: ReadonlyMap<LimitedPrice, Decimal>
  cheapestFirst: boolean
  /** Of each model only one upstream is asked. */
  onlyFirst: boolean
  keepsNothing: boolean
}

const NAMES = ['provider', 'require_parameters'] as const

export function hasWishes(body: Fields): boolean {
  return NAMES.some((name) => (body[name] ?? null) !== null)
}

/** `rest` is the request without them, and with what is not read under the name by which it is told. */
export function readWishes<Body extends object>(
  body: Body,
): { wishes: Wishes | undefined; rest: Body } {
  const { provider: said, require_parameters: required, ...rest } = body as Fields
  if (!hasWishes(body as Fields)) return { wishes: undefined, rest: body }
  const provider = fieldsOf(said)
  const { max_price: prices, sort, allow_fallbacks: more, data_collection: kept } = provider
  const needs = required === true || provider.require_parameters === true
  const wishes = {
    needed: needs ? neededIn(rest) : [],
    mostPaid: mostPaidIn(prices),
    cheapestFirst: sort === 'price',
    onlyFirst: more === false,
    keepsNothing: kept === 'deny',
  }
  return { wishes, rest: { ...rest, ...untold(provider) } as Body }
}

const OF_PROVIDER = new Set([
  'allow_fallbacks',
  'data_collection',
  'max_price',
  'require_parameters',
])
const PRICES: readonly LimitedPrice[] = ['prompt', 'completion', 'request', 'image']

/** How fast an upstream is at the moment is not measured by model. */
function untold(provider: Fields): Fields {
  const { sort, max_price: prices, ...rest } = provider
  const read = sort === 'price' ? rest : { ...rest, sort }
  return {
    ...unreadIn(read, 'provider', OF_PROVIDER),
    ...unreadIn(fieldsOf(prices), 'provider.max_price', new Set<string>(PRICES)),
  }
}

const MOST_TOLD = 20
const LONGEST_NAME = 64

/**
 * Members that are not read here, flat under the names by which they are told: no upstream has such
 * a field, so they are left out like any other that nobody knows.
 */
export function unreadIn(value: Fields, at: string, read: ReadonlySet<string>): Fields {
  const names = Object.keys(value).filter(
    (name) => !read.has(name) && (value[name] ?? null) !== null,
  )
  const told = names.slice(0, MOST_TOLD).map((name) => `${at}.${name}`.slice(0, LONGEST_NAME))
  return Object.fromEntries(told.map((name) => [name, true]))
}

function mostPaidIn(prices: unknown): Map<LimitedPrice, Decimal> {
  const most = new Map<LimitedPrice, Decimal>()
  if (!isFields(prices)) return most
  for (const name of PRICES) {
    const price = prices[name] ?? undefined
    if (price !== undefined) most.set(name, limitOf(price, `provider.max_price.${name}`))
  }
  return most
}

function limitOf(price: unknown, field: string): Decimal {
  const text = plainDecimal(price)
  if (text === undefined || text.startsWith('-')) {
    throw invalidField(field, 'must be a number of dollars, 0 or more')
  }
  return decimal(text)
}
