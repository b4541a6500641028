import { randomBytes } from 'node:crypto'

/** 20 of [0-9A-Z], 100 bits: fits an order reference and an idempotency key at every provider. */
export function newReference(): string {
  return [...randomBytes(20)].map((byte) => CROCKFORD[byte & 31]).join('')
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
