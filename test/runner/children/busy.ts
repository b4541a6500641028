import { test } from 'node:test'

/* A test that never ends and lets nothing else happen in its process. */

test('one that never rests', () => {
  for (;;);
})
