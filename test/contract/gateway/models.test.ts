import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import OpenAI, { NotFoundError, PermissionDeniedError } from 'openai'
import { startModelSimulator, type ModelSimulator } from '../../../simulator/models/server.ts'
import { SIMULATED_MODELS } from '../../../simulator/models/simulated-models.ts'
import { openCatalog, type Catalog } from '../../../src/catalog/catalog.ts'
import { syncCatalog, type SyncParts } from '../../../src/catalog/sync.ts'
import { readConfig } from '../../../src/config.ts'
import type { Db } from '../../../src/db/db.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { gatewayHealthRoutes } from '../../../src/routes/gateway-health.ts'
import { modelRoutes } from '../../../src/routes/models.ts'
import { openUpstreams } from '../../../src/upstream/upstreams.ts'
import { readUpstreams } from '../../../src/upstream/upstreams-file.ts'
import type { Upstreams } from '../../../src/upstream/work.ts'
import { freshDb } from '../../support/databases.ts'
import { jwtHeaders, keyHeaders, startServer } from '../../support/server.ts'
import type { Loose } from '../../support/loose.ts'

/** Simulator → upstream client → sync → database → memory → routes: the whole way of a price. */
let simulator: ModelSimulator
let upstreams: Upstreams
let db: Db
let queries = 0
let catalog: Catalog
let parts: SyncParts
let service: Awaited<ReturnType<typeof startServer>>

const extra = Array.from({ length: 500 }, (_, i) => ({
  ...SIMULATED_MODELS[0]!,
  id: `many/model-${String(i).padStart(3, '0')}`,
}))

before(async () => {
  simulator = await startModelSimulator({ models: extra })
  const file = {
    upstreams: [{ name: 'sim', type: 'openrouter', base_url: simulator.url, api_key_env: 'KEY' }],
  }
  const config = readConfig({ PRICE_MARGIN: '1.25', VIDEO_USD_TO_CREDIT_RATE: '2800' })
  upstreams = openUpstreams({
    upstreams: readUpstreams(file, { KEY: simulator.apiKey }),
    log: silentLog,
  })
  db = counting(await freshDb())
  const sources = upstreams.list.map(({ records, ...entry }) => ({ ...entry, byHand: records }))
  parts = {
    db,
    log: silentLog,
    settings: config,
    upstreams: sources,
    read: async (name, signal) => (await upstreams.catalog(name, signal)).records,
  }
  await syncCatalog(parts)
  catalog = await openCatalog({ db, log: silentLog, upstreams: sources })
  service = await startServer({
    routes: [
      ...modelRoutes({ catalog }),
      ...gatewayHealthRoutes({ health: () => upstreams.health() }),
    ],
  })
})
after(async () => {
  await service.close()
  await upstreams.close()
  await simulator.close()
  await db.close()
})

const get = async (path: string, headers: Record<string, string> = keyHeaders) => {
  const response = await fetch(service.url + path, { headers })
  const text = await response.text()
  const body: Loose = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, headers: response.headers, body, text }
}
const idsOf = (body: Loose): string[] => body.data.map((model: Loose) => model.id)

describe('GET /v1/models', () => {
  test('200: paid, enabled, priced models, with prices in both currencies', async () => {
    const { status, body, headers } = await get('/v1/models')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), [
      'status',
      'code',
      'object',
      'has_more',
      'first_id',
      'last_id',
      'data',
      'request_id',
    ])
    assert.deepEqual([body.status, body.code, body.object], ['success', 200, 'list'])
    assert.equal(headers.get('x-request-id'), body.request_id)
    const ids = idsOf(body)
    assert.ok(ids.includes('sim/hekima') && ids.includes('sim/filamu') && ids.includes('sim/picha'))
    for (const absent of ['sim/hekima-mini:free', 'sim/otomatiki', 'sim/mstaafu']) {
      assert.ok(!ids.includes(absent), absent)
    }
    const model = body.data.find((each: Loose) => each.id === 'sim/hekima')
    assert.match(model.resource_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    assert.deepEqual(
      { ...model, resource_id: 0, description: 0, created: 0, supported_parameters: 0 },
      {
        id: 'sim/hekima',
        object: 'model',
        type: 'model',
        display_name: 'Sim: Hekima',
        created_at: new Date(model.created * 1_000).toISOString(),
        lifecycle: 'active',
        capabilities: null,
        line: null,
        deprecated_at: null,
        retires_at: null,
        max_input_tokens: 131072,
        max_tokens: 8192,
        created: 0,
        owned_by: 'sim',
        resource_id: 0,
        name: 'Sim: Hekima',
        description: 0,
        context_length: 131072,
        max_output_tokens: 8192,
        input_modalities: ['text'],
        output_modalities: ['text'],
        supported_parameters: 0,
        pricing: {
          prompt: '0.000003125',
          completion: '0.0000125',
          request: '0',
          image: '0',
          input_cache_read: '0.0000003125',
          input_cache_write: '0.00000390625',
          internal_reasoning: '0.0000125',
        },
        // USD × 3000 × 1.25, exactly.
        pricing_credits: {
          prompt: 0.009375,
          completion: 0.0375,
          request: 0,
          image: 0,
          input_cache_read: 0.0009375,
          input_cache_write: 0.01171875,
          internal_reasoning: 0.0375,
        },
        is_free: false,
      },
    )
  })

  test('prices of longer prompts are shown, in both currencies and in the catalog', async () => {
    const { pricing, pricing_credits } = (await get('/v1/models/sim/macho')).body.data
    assert.equal(pricing.prompt, '0.000000375')
    assert.deepEqual(pricing.tiers, [
      { above_prompt_tokens: 200_000, prompt: '0.00000075', completion: '0.000004375' },
    ])
    assert.deepEqual(pricing_credits.tiers, [
      { above_prompt_tokens: 200_000, prompt: 0.00225, completion: 0.013125 },
    ])
    const { data } = (await get('/v1/catalog', {})).body
    const listed = data.find(({ id }: Loose) => id === 'sim/macho')
    assert.deepEqual(listed.pricing, pricing)
    const plain = data.find(({ id }: Loose) => id === 'sim/hekima')
    assert.equal(plain.pricing.tiers, undefined)
  })

  test('every modality has its unit; a video has its own rate', async () => {
    const price = async (id: string) => {
      const { pricing, pricing_credits: credits } = (await get(`/v1/models/${id}`)).body.data
      return { pricing, credits }
    }
    assert.deepEqual((await price('sim/sikia')).pricing, { audio_second: '0.000125' })
    assert.deepEqual((await price('sim/sema')).pricing, { character: '0.00001875' })
    assert.deepEqual((await price('sim/picha')).pricing, { image: '0.05' })
    const film = await price('sim/filamu')
    assert.deepEqual(film.pricing, { video_second: '0.15' })
    // 0.12 × 2800 × 1.25
    assert.deepEqual(film.credits, { video_second: 420 })
  })

  test('filters: by all of the named modalities and parameters, by words, by free models', async () => {
    const ids = async (query: string) => idsOf((await get(`/v1/models?${query}`)).body)
    assert.deepEqual(await ids('output_modalities=video'), ['sim/filamu', 'sim/filamu-senti'])
    assert.deepEqual(await ids('output_modalities=text,image'), ['sim/picha-mazungumzo'])
    assert.deepEqual(await ids('input_modalities=video,audio'), ['sim/macho'])
    assert.deepEqual(await ids('q=SIKIA%20mini'), ['sim/sikia-mini'])
    assert.deepEqual(await ids('q=nothing-like-it'), [])
    assert.ok((await ids('include_free=true')).includes('sim/hekima-mini:free'))
    const reasoning = await ids('supported_parameters=reasoning,tools&q=sim')
    assert.ok(reasoning.includes('sim/hekima') && !reasoning.includes('sim/hekima-mini'))
  })

  test('pages only when a limit is sent', async () => {
    const { body } = await get('/v1/models?q=many&limit=2&offset=3')
    assert.deepEqual(idsOf(body), ['many/model-003', 'many/model-004'])
    assert.deepEqual(body.pagination, { limit: 2, offset: 3, total: 500, has_more: true })
    assert.equal((await get('/v1/models')).body.pagination, undefined)
    const most = (await get('/v1/models?q=many&limit=1000')).body
    assert.deepEqual(most.pagination, { limit: 200, offset: 0, total: 500, has_more: true })
    const ids: string[] = []
    for (let after: string | undefined, more = true; more;) {
      const from = after === undefined ? '' : `&after_id=${encodeURIComponent(after)}`
      const page = (await get(`/v1/models?q=many&limit=200${from}`)).body
      ids.push(...idsOf(page))
      after = page.last_id
      more = page.has_more
    }
    assert.equal(new Set(ids).size, 500)
    const back = (await get(`/v1/models?q=many&limit=2&before_id=${ids[3]}`)).body
    assert.deepEqual([idsOf(back), back.has_more], [ids.slice(1, 3), true])
    const start = (await get(`/v1/models?q=many&limit=2&before_id=${ids[1]}`)).body
    assert.deepEqual([idsOf(start), start.has_more], [ids.slice(0, 1), false])
    assert.equal((await get('/v1/models?q=many')).body.has_more, false)
    for (const query of [
      'limit=0',
      'limit=x',
      'after_id=many/nobody',
      'before_id=many/nobody',
      `after_id=${ids[1]}&before_id=${ids[3]}`,
      'offset=-1',
      'include_free=maybe',
    ]) {
      const refused = await get(`/v1/models?${query}`)
      assert.equal(refused.status, 400, query)
      assert.equal(refused.body.error_code, 'validation_error')
      assert.equal(refused.body.error.type, 'invalid_request_error')
    }
  })

  test('304 for what the client has; a change of price changes the ETag', async () => {
    const first = await get('/v1/models')
    const etag = first.headers.get('etag')!
    for (const mark of [etag, `"other", ${etag}`, etag.replace('W/', '')]) {
      const again = await get('/v1/models', { ...keyHeaders, 'if-none-match': mark })
      assert.deepEqual([again.status, again.text], [304, ''])
      assert.equal(again.headers.get('etag'), etag)
    }
    assert.equal((await get('/v1/models', { ...keyHeaders, 'if-none-match': '"x"' })).status, 200)
    const model = simulator.models.get('sim/hekima-mini')!
    simulator.models.set(model.id, {
      ...model,
      pricing: { prompt: '0.0000002', completion: '0.0000006' },
    })
    await syncCatalog(parts)
    await catalog.reload()
    assert.notEqual((await get('/v1/models')).headers.get('etag'), etag)
  })

  test('500 models come from memory, and 10,000 lookups cost no query', async () => {
    await get('/v1/models')
    const before = queries
    const { body } = await get('/v1/models')
    assert.ok(body.data.length > 500)
    const { resourceId } = catalog.find('sim/hekima')!
    const forms = ['sim/hekima', 'sim%2Fhekima', 'sim/sim/hekima', 'sim:sim/hekima', resourceId]
    for (let i = 0; i < 10_000; i++) {
      const form = forms[i % forms.length]!
      assert.equal(catalog.requireModel(form, { outputs: ['text'] }).id, 'sim/hekima')
    }
    assert.equal(queries, before)
  })

  test('401 without a credential, 403 with a session token', async () => {
    const none = await get('/v1/models', {})
    assert.deepEqual([none.status, none.body.error_code], [401, 'unauthorized'])
    assert.equal(none.headers.get('www-authenticate'), 'Bearer')
    for (const path of ['/v1/models', '/v1/models/sim/hekima']) {
      const wrong = await get(path, jwtHeaders)
      assert.deepEqual([wrong.status, wrong.body.error_code], [403, 'forbidden'])
      assert.equal(wrong.body.error.type, 'forbidden')
    }
  })
})

describe('GET /v1/models/{id}', () => {
  test('200 by every form of the id, with what SDKs read at the top', async () => {
    const { resourceId } = catalog.find('sim/hekima')!
    const forms = [
      'sim/hekima',
      'sim%2Fhekima',
      'sim%2fhekima',
      'sim/sim/hekima',
      'sim:sim/hekima',
      'sim%3Asim%2Fhekima',
      resourceId,
    ]
    for (const form of forms) {
      const { status, body } = await get(`/v1/models/${form}`)
      assert.equal(status, 200, form)
      assert.deepEqual([body.id, body.object, body.owned_by], ['sim/hekima', 'model', 'sim'])
      assert.equal(body.data.resource_id, resourceId)
      assert.equal(body.created, body.data.created)
    }
    assert.equal((await get('/v1/models/sim/hekima-mini:free')).body.data.is_free, true)
  })

  test('404 for unknown, disabled and unpriced models, and for nonsense', async () => {
    for (const id of ['no/such', 'sim/mstaafu', 'sim/otomatiki', '', '%2E%2E%2Fetc']) {
      const { status, body } = await get(`/v1/models/${id}`)
      assert.equal(status, 404, id)
      assert.deepEqual([body.status, body.code, body.error_code], ['error', 404, 'not_found'])
      assert.deepEqual([body.error.type, body.error.code], ['not_found', 'model_not_found'])
    }
    for (const id of ['%E0%A4%A', '%00']) {
      const broken = await get(`/v1/models/${id}`)
      assert.equal(broken.status, 400, id)
      assert.equal(broken.body.error.type, 'invalid_request_error')
    }
  })
})

describe('the official SDK', () => {
  const client = () => new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'key-1', maxRetries: 0 })

  test('lists and retrieves', async () => {
    const seen: string[] = []
    for await (const model of client().models.list()) seen.push(model.id)
    assert.ok(seen.includes('sim/hekima') && seen.length > 500)
    const model = await client().models.retrieve('sim/hekima')
    assert.deepEqual([model.id, model.object, model.owned_by], ['sim/hekima', 'model', 'sim'])
    // As its fourth version asked, with the slash as it is.
    const raw: Loose = await client().get('/models/sim/hekima')
    assert.equal(raw.id, 'sim/hekima')
  })

  test('understands our errors', async () => {
    const missing = await client()
      .models.retrieve('no/such')
      .catch((error: unknown) => error)
    assert.ok(missing instanceof NotFoundError)
    assert.deepEqual([missing.code, missing.type], ['model_not_found', 'not_found'])
    assert.match(missing.message, /no\/such/)
    const jwt = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'jwt-1', maxRetries: 0 })
    const refused = await jwt.models.list().catch((error: unknown) => error)
    assert.ok(refused instanceof PermissionDeniedError)
  })
})

test('GET /v1/catalog needs no credential and gives the same list', async () => {
  const open = await get('/v1/catalog', {})
  const keyed = await get('/v1/models')
  assert.equal(open.status, 200)
  assert.deepEqual(open.body.data, keyed.body.data)
  assert.equal(open.headers.get('etag'), keyed.headers.get('etag'))
})

test('GET /v1/gateway/health shows three numbers and no name', async () => {
  const { status, body, text } = await get('/v1/gateway/health', {})
  assert.equal(status, 200)
  assert.deepEqual(body.data, { healthy: true, upstreams_total: 1, upstreams_healthy: 1 })
  assert.ok(!text.includes('"sim"'))
})

test('no answer names an upstream or its address', async () => {
  for (const path of ['/v1/models', '/v1/models/sim/hekima', '/v1/models/no/such']) {
    const { text } = await get(path)
    assert.ok(!/openrouter|127\.0\.0\.1|SimProvider/i.test(text), path)
  }
})

test('a model that lacks a capability is refused by name', () => {
  const wanted = (error: unknown) =>
    error instanceof Failure &&
    error.kind === 'unsuitable' &&
    error.code === 'model_capability' &&
    error.param === 'model'
  assert.throws(() => catalog.requireModel('sim/hekima', { inputs: ['image'] }), wanted)
  assert.throws(() => catalog.requireModel('sim/vekta', { outputs: ['text'] }), wanted)
  assert.equal(
    catalog.requireModel('sim/macho', { inputs: ['text', 'image', 'video'] }).free,
    false,
  )
})

function counting(inner: Db): Db {
  return {
    ...inner,
    query: (sql, params) => {
      queries++
      return inner.query(sql, params)
    },
    read: (sql, params) => {
      queries++
      return inner.read(sql, params)
    },
    begin: (work) => {
      queries++
      return inner.begin(work)
    },
  }
}
