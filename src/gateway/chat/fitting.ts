import type { PricedModel } from '../../catalog/catalog.ts'
import { compare, decimal, decimalText, times } from '../../lib/decimal.ts'
import { Failure } from '../../lib/failure.ts'
import type { ModelTarget } from '../../upstream/contract/contract.ts'
import type { Gateway } from '../gateway.ts'
import { dearestPrice } from '../price/dearest-price.ts'
import type { ChatOrder } from './form.ts'
import type { Needed } from './needed.ts'
import type { Wishes } from './wishes.ts'

type WishParts = Pick<Gateway, 'catalog' | 'upstreams'>

/** The order with those upstreams that fit; throws where the model does not, or none is left. */
export function fitting(gateway: WishParts, order: ChatOrder, wishes: Wishes): ChatOrder {
  const model = gateway.catalog.requireModel(order.stage.model)
  checkPrices(model, wishes.mostPaid)
  let targets = order.targets
  for (const needed of wishes.needed) targets = withParameter(targets, needed, model.id)
  return wishes.keepsNothing ? silent(gateway, { ...order, targets }) : { ...order, targets }
}

function silent({ upstreams }: WishParts, order: ChatOrder): ChatOrder {
  const { stage, request } = order
  const targets = order.targets.filter((target) => upstreams.keepsNothing(target))
  if (targets.length > 0) return { ...order, targets, request: { ...request, keepsNothing: true } }
  const why = `nobody who runs "${stage.model}" here is known to keep nothing of a request`
  throw unfit('provider.data_collection', why)
}

const MILLION = decimal(1_000_000)

function checkPrices(model: PricedModel, mostPaid: Wishes['mostPaid']): void {
  for (const [name, most] of mostPaid) {
    const isToken = name === 'prompt' || name === 'completion'
    const unit = isToken ? 'a million tokens' : name === 'image' ? 'a picture' : 'a request'
    const price = times(dearestPrice(model, name), isToken ? MILLION : decimal(1))
    if (compare(price, most) <= 0) continue
    const why = `"${model.id}" costs ${decimalText(price)} dollars ${unit}, more than ${decimalText(most)}`
    throw unfit(`provider.max_price.${name}`, why)
  }
}

function withParameter(
  targets: ChatOrder['targets'],
  { field, names }: Needed,
  model: string,
): ChatOrder['targets'] {
  const knows = ({ supportedParameters = [] }: ModelTarget) =>
    names.some((name) => supportedParameters.includes(name))
  const left = targets.filter(knows)
  if (left.length > 0) return left
  const why = `nobody who runs "${model}" here is known to support it with the rest of the request`
  throw unfit(field, why)
}

function unfit(field: string, why: string): Failure {
  return new Failure('unsuitable', `${field}: ${why}.`, { param: field, code: 'model_capability' })
}
