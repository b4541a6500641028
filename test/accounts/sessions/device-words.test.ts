import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceWords } from '../../../src/accounts/sessions/device-words.ts'

const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const cases: [agent: string, browser: string | undefined, system: string | undefined][] = [
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${KHTML} Chrome/119.0.0.0 Mobile Safari/537.36`,
    'Chrome',
    'Android',
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-A035F) ${KHTML} SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet',
    'Android',
  ],
  [
    'Opera/9.80 (Android; Opera Mini/36.2/119.132; U; en) Presto/2.12 Version/12.16',
    'Opera Mini',
    'Android',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`,
    'Edge',
    'Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    'Safari',
    'iPhone',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0',
    'Firefox',
    'Mac',
  ],
  ['curl/8.5.0', 'curl', undefined],
  ['python-requests/2.32', 'Python', undefined],
  ['<script>alert(1)</script>', undefined, undefined],
  ['', undefined, undefined],
]

test('a device is named by words of a fixed list, never by its own', () => {
  for (const [agent, browser, system] of cases) {
    assert.deepEqual(deviceWords(agent), { browser, system }, agent)
  }
})
