import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { z } from 'zod'
import type { Route } from '../../src/http/route.ts'
import { startApp } from '../support/app.ts'
import {
  operationsOf,
  sampleOf,
  stringFields,
  withValue,
  type Operation,
} from '../torture/rig/operations.ts'

const LONG = 4_800_000
/** The longest text that a slow parser may see. */
const LONGEST_PARSED = 8_192

let app: Awaited<ReturnType<typeof startApp>>
let operations: Operation[]
before(async () => {
  app = await startApp()
  operations = operationsOf((await (await fetch(`${app.url}/v1/openapi.json`)).json()) as never)
})
after(() => app.close())

/** Lengths of all texts that are parsed as an address or a time while `act` runs. */
function parsedBy(act: () => void): number[] {
  const seen: number[] = []
  const note = (text: unknown) => void seen.push(String(text).length)
  const { URL: realUrl } = globalThis
  const realDate = Date.parse
  globalThis.URL = class extends realUrl {
    constructor(text: string | URL, base?: string | URL) {
      note(text)
      super(text, base)
    }
    static override parse(text: string) {
      note(text)
      return realUrl.parse(text)
    }
    static override canParse(text: string) {
      note(text)
      return realUrl.canParse(text)
    }
  }
  Date.parse = (text) => {
    note(text)
    return realDate(text)
  }
  try {
    act()
  } finally {
    globalThis.URL = realUrl
    Date.parse = realDate
  }
  return seen
}

const openings = ['', 'https://example.com/', '2026-01-31T08:00:00']

test('a text of 4.8 MB in any field of any body is measured before it is parsed', () => {
  let fields = 0
  for (const operation of operations) {
    const schema = bodyOf(operation)
    if (schema === undefined || operation.json === undefined) continue
    for (const field of stringFields(operation.json)) {
      fields++
      const sample = sampleOf(operation.json, field)
      for (const opening of openings) {
        const body = withValue(sample, field, opening + 'a'.repeat(LONG))
        const seen = parsedBy(() => void schema.safeParse(body))
        const about = `${operation.method} ${operation.path} ${field.join('.')}: ${seen.join()}`
        assert.ok(Math.max(0, ...seen) <= LONGEST_PARSED, about)
      }
    }
  }
  assert.ok(fields > 50, `${fields} fields`)
})

test('a list of 200,000 wrong items is not looked at one by one', () => {
  let looked = 0
  const routes = app.rooms.server.context.routes.filter(({ body }) => body !== undefined)
  for (const { body } of routes) {
    const wrong = Array.from({ length: 200_000 }, () => 7)
    const fields = ['modalities', 'tools', 'messages', 'input', 'input_references']
    const result = body!.safeParse(Object.fromEntries(fields.map((name) => [name, wrong])))
    looked = Math.max(looked, result.error?.issues.length ?? 0)
  }
  assert.ok(looked < 100, `${looked} faults were collected`)
})

function bodyOf({ method, path }: Operation): z.ZodType | undefined {
  const plain = (route: Route) => route.path.replaceAll(/:(\w+)/g, '{$1}')
  return app.rooms.server.context.routes.find(
    (route) => route.method === method && plain(route) === path,
  )?.body
}
