import { test } from 'node:test'

test('one that ends', () => {})
