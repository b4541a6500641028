import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { CatalogRecord } from '../../../src/catalog/model-record.ts'
import type { SendJson } from '../../../src/upstream/contract/contract.ts'
import { UpstreamError, StatusError } from '../../../src/upstream/contract/upstream-error.ts'
import { readCatalog } from '../../../src/upstream/openrouter/catalog.ts'
import { imagePriceUsd, videoPriceUsd } from '../../../src/upstream/prices/media-price.ts'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8'))

const PAGES: Record<string, unknown> = {
  '/models?output_modalities=all': fixture('openrouter-models.json'),
  '/videos/models': fixture('openrouter-videos-models.json'),
  '/images/models': fixture('openrouter-images-models.json'),
  '/images/models/black-forest-labs/flux.2-pro/endpoints': fixture(
    'openrouter-flux-endpoints.json',
  ),
}

const requestedPaths: string[] = []
const ask: SendJson = async ({ path }) => {
  requestedPaths.push(path)
  const json = PAGES[path]
  if (json === undefined) throw new StatusError(404)
  return { status: 200, headers: {}, json }
}

const { records, skipped } = await readCatalog(ask)
const record = (id: string): CatalogRecord => records.find((one) => one.id === id)!

describe('the catalog of openrouter', () => {
  it('requests every modality and the price lists, and nothing outside its paths', () => {
    assert.deepEqual(requestedPaths.toSorted(), [
      '/images/models',
      '/images/models/black-forest-labs/flux.2-pro/endpoints',
      '/images/models/nobody/unpriced-image/endpoints',
      '/models?output_modalities=all',
      '/videos/models',
    ])
  })

  it('reads when a model expires: a date alone is the beginning of that day, UTC', async () => {
    const read = async (expiration_date: unknown) => {
      const page = { data: [{ id: 'a/b', expiration_date }] }
      const send: SendJson = async ({ path }) => ({
        status: 200,
        headers: {},
        json: path.startsWith('/models?') ? page : {},
      })
      return (await readCatalog(send)).records[0]!.expires
    }
    assert.equal(await read('2026-03-01'), Date.UTC(2026, 2, 1) / 1_000)
    assert.equal(await read('2026-03-01T15:00:00+03:00'), Date.UTC(2026, 2, 1, 12) / 1_000)
    for (const odd of [null, undefined, '', 'soon', '2026-99-99', 5, {}]) {
      assert.equal(await read(odd), undefined)
    }
  })

  it('skips and counts bad records, keeps those with unknown values', () => {
    assert.equal(skipped, 2)
    assert.equal(records.length, 20)
    const future = record('lab/from-the-future')
    assert.deepEqual(future.outputModalities, ['text', 'decisions'])
    assert.deepEqual(future.pricing, { prompt: '0.0000005', completion: '0.000001' })
    assert.equal(future.priced, 'paid')
    assert.equal(record('openai/gpt-4:batch'), undefined)
  })

  it('reads a text model', () => {
    assert.deepEqual(record('openai/gpt-4'), {
      id: 'openai/gpt-4',
      upstreamModel: 'openai/gpt-4',
      name: 'GPT-4',
      description: 'A model',
      created: 1692901234,
      expires: undefined,
      contextLength: 8192,
      maxOutputTokens: 4096,
      inputModalities: ['text'],
      outputModalities: ['text'],
      supportedParameters: ['temperature', 'top_p', 'max_tokens'],
      supportedVoices: [],
      pricing: { prompt: '0.00003', completion: '0.00006', request: '0', image: '0' },
      priceBasis: 'token',
      priced: 'paid',
    })
    assert.deepEqual(record('google/gemini-2.5-flash').pricing.overrides, [
      { min_prompt_tokens: 200000, prices: { prompt: '0.0000006', completion: '0.0000035' } },
    ])
  })

  const VERDICTS: [string, CatalogRecord['priced'], CatalogRecord['priceBasis']][] = [
    ['openrouter/auto', 'unpriced', 'unknown'],
    ['meta/llama:free', 'free', 'token'],
    ['cohere/rerank', 'unpriced', 'unknown'],
    ['nobody/unpriced-image', 'unpriced', 'unknown'],
    ['lab/silent-video', 'unpriced', 'unknown'],
    ['black-forest-labs/flux.2-pro', 'paid', 'megapixel'],
    ['google/gemini-2.5-flash-image', 'paid', 'token'],
    ['google/veo-3.1-fast', 'paid', 'video_second'],
    ['lab/cents-video', 'paid', 'video_second'],
    ['openai/whisper-1', 'paid', 'second'],
    ['google/chirp-3', 'paid', 'unknown'],
    ['microsoft/mai-transcribe-2', 'paid', 'unknown'],
    ['openai/gpt-4o-mini-transcribe', 'paid', 'token'],
    ['x-ai/grok-voice-tts-1.0', 'paid', 'character'],
    ['google/gemini-tts', 'paid', 'token'],
    ['lab/odd-tts', 'paid', 'unknown'],
    ['openai/text-embedding-3-small', 'paid', 'token'],
  ]
  for (const [id, priced, basis] of VERDICTS) {
    it(`${id} is ${priced} by ${basis}`, () => {
      assert.deepEqual([record(id).priced, record(id).priceBasis], [priced, basis])
    })
  }

  it('never leaves a price where it would be multiplied by the wrong unit', () => {
    assert.deepEqual(record('openai/whisper-1').pricing, { audio_second: '0.0001' })
    assert.deepEqual(record('google/chirp-3').pricing, { audio_minute: '0.016' })
    assert.deepEqual(record('microsoft/mai-transcribe-2').pricing, { audio_hour: '0.36' })
    assert.deepEqual(record('x-ai/grok-voice-tts-1.0').pricing, { character: '0.000015' })
    assert.equal(record('google/veo-3.1-fast').pricing.prompt, undefined)
    assert.deepEqual(record('x-ai/grok-voice-tts-1.0').supportedVoices, ['eve', 'ara'])
  })

  it('turns cents into dollars', () => {
    assert.deepEqual(record('lab/cents-video').pricing.video_skus, [
      { sku: 'cents_per_second_output_720p', unit: 'second', cost_usd: '0.05', resolution: '720p' },
      {
        sku: 'cents_per_second_output_1080p',
        unit: 'second',
        cost_usd: '0.085',
        resolution: '1080p',
      },
      { sku: 'cents_per_image_input', unit: 'input_image', cost_usd: '0.01' },
      { sku: 'minimum_cents_per_generation', unit: 'minimum', cost_usd: '0.2' },
    ])
  })

  it('prices a video by the request, else by the most it can cost', () => {
    const veo = record('google/veo-3.1-fast')
    assert.equal(videoPriceUsd(veo, {}), '2.4')
    assert.equal(videoPriceUsd(veo, { duration: 4, resolution: '720p' }), '0.4')
    const silent = { duration: 4, resolution: '4K', generate_audio: false }
    assert.equal(videoPriceUsd(veo, silent), '1')
    const cents = record('lab/cents-video')
    assert.equal(videoPriceUsd(cents, { duration: 2, resolution: '720p' }), '0.2')
    const withImages = { duration: 10, resolution: '1080p', input_references: [{}, {}] }
    assert.equal(videoPriceUsd(cents, withImages), '0.87')
    assert.equal(videoPriceUsd(record('lab/silent-video'), { duration: 1 }), undefined)
    // Nobody makes a film of a moment, and nobody a picture of a few points.
    assert.equal(videoPriceUsd(veo, { duration: 0.001, resolution: '720p' }), '0.4')
    assert.equal(videoPriceUsd(veo, { duration: 5, resolution: '720p' }), '0.6')
    const byToken = { sku: 'video_tokens', unit: 'token', cost_usd: '0.000001' } as const
    const tokens = { pricing: { video_skus: [byToken] } }
    assert.equal(videoPriceUsd(tokens, { seconds: 1, size: '10x10' }), '0.009608')
    assert.equal(videoPriceUsd(tokens, { seconds: 1, size: '1280x720' }), '0.0216')
  })

  const NOTHING_SENT = { textTokens: 0, referenceTokens: 0, references: 0 }

  it('prices pictures by the dearest endpoint', () => {
    const flux = record('black-forest-labs/flux.2-pro')
    assert.equal(imagePriceUsd(flux, 2, { size: '1024x1024' }, NOTHING_SENT), '0.14')
    const one = { ...NOTHING_SENT, references: 1 }
    assert.equal(imagePriceUsd(flux, 1, { size: '1000x1000' }, one), '0.05')
    const torn = { size: '64x64', resolution: '4K' }
    assert.equal(imagePriceUsd(flux, 1, torn, NOTHING_SENT), '0.595')
    const banana = record('google/gemini-2.5-flash-image')
    assert.equal(imagePriceUsd(banana, 1, { quality: 'low' }, NOTHING_SENT), '0.01224')
    assert.equal(imagePriceUsd(record('nobody/unpriced-image'), 1, {}, NOTHING_SENT), undefined)
  })

  it('a price list that cannot be read fails the sync; one that does not exist does not', async () => {
    const broken: SendJson = async (call) => {
      if (call.path === '/videos/models') throw new UpstreamError('reset', 'x')
      return ask(call)
    }
    await assert.rejects(readCatalog(broken), UpstreamError)
    const missing: SendJson = async (call) => {
      if (call.path !== '/models?output_modalities=all') throw new StatusError(404)
      return ask(call)
    }
    const reading = await readCatalog(missing)
    assert.equal(reading.records.find(({ id }) => id === 'lab/cents-video')!.priced, 'unpriced')
    assert.equal(reading.records.find(({ id }) => id === 'openai/gpt-4')!.priced, 'paid')
  })

  it('anything but a list is garbage', async () => {
    await assert.rejects(
      readCatalog(async () => ({ status: 200, headers: {}, json: { data: 'no' } })),
      UpstreamError,
    )
  })
})
