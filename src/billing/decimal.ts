/** Exact decimals belong to everyone who reads a price; here is where money looks for them. */
export * from '../lib/decimal.ts'
