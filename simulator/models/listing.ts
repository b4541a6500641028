import type { Exchange, Json } from './exchange.ts'
import { Refusal } from './faults/refusal.ts'
import type { SimulatedModel } from './simulated-models.ts'
import { createdAt } from './simulated-models.ts'

/** `GET /models`: text models only, unless `output_modalities` says otherwise. */
export function listModels(exchange: Exchange, models: SimulatedModel[]): Json {
  const wanted = (exchange.url.searchParams.get('output_modalities') ?? 'text').split(',')
  const all = wanted.includes('all')
  const data = models
    .map((model, index) => ({ model, index }))
    .filter(({ model }) => all || model.outputs.some((output) => wanted.includes(output)))
    .map(({ model, index }) => record(model, index))
  return { data, total_count: data.length, links: { next: null } }
}

export function listVideoModels(models: SimulatedModel[]): Json {
  const data = models.flatMap((model, index) =>
    model.kind === 'video' ? [videoRecord(model, index)] : [],
  )
  return { data }
}

export function listImageModels(models: SimulatedModel[]): Json {
  const data = models.flatMap((model, index) =>
    model.imageUsd === undefined ? [] : [imageRecord(model, index)],
  )
  return { data }
}

export function imageEndpoints(exchange: Exchange, models: SimulatedModel[]): Json {
  const model = models.find((each) => each.id === exchange.id)
  if (model?.imageUsd === undefined) throw new Refusal(404, 'Model not found')
  const pricing = [{ billable: 'output_image', unit: 'image', cost_usd: model.imageUsd }]
  const endpoint = {
    provider_name: 'SimProvider',
    provider_slug: 'sim-provider',
    provider_tag: null,
    supported_parameters: IMAGE_PARAMETERS,
    allowed_passthrough_parameters: [],
    supports_streaming: false,
    pricing,
  }
  return { id: model.id, endpoints: [endpoint] }
}

export function keyFacts(): Json {
  return {
    data: {
      label: 'sim-…key',
      limit: null,
      limit_remaining: null,
      limit_reset: null,
      usage: 0,
      usage_daily: 0,
      usage_weekly: 0,
      usage_monthly: 0,
      is_free_tier: false,
    },
  }
}

function record(model: SimulatedModel, index: number): Json {
  const modality = `${model.inputs.join('+')}->${model.outputs.join('+')}`
  return {
    id: model.id,
    canonical_slug: model.id.split(':')[0],
    name: model.name,
    created: createdAt(index),
    description: `${model.name}: a simulated model. Its answers are made up.`,
    context_length: model.context,
    architecture: {
      modality,
      input_modalities: model.inputs,
      output_modalities: model.outputs,
      tokenizer: model.kind === 'chat' ? 'Other' : 'Media',
      instruct_type: null,
    },
    pricing: model.pricing,
    top_provider: {
      context_length: model.context,
      max_completion_tokens: model.maxOutput,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: model.parameters ?? [],
    default_parameters: null,
    supported_voices: model.voices ?? null,
    hugging_face_id: null,
    knowledge_cutoff: null,
    expiration_date: model.expires ?? null,
    links: { details: `/api/v1/models/${model.id}/endpoints` },
  }
}

function videoRecord(model: SimulatedModel, index: number): Json {
  return {
    id: model.id,
    canonical_slug: model.id,
    name: model.name,
    description: 'A simulated video model.',
    created: createdAt(index),
    supported_durations: model.durations ?? null,
    supported_resolutions: model.resolutions ?? null,
    supported_aspect_ratios: ['16:9', '9:16'],
    supported_sizes: null,
    supported_frame_images: model.inputs.includes('image') ? ['first_frame'] : null,
    generate_audio: true,
    seed: true,
    upscale_factor: null,
    creativity: null,
    allowed_passthrough_parameters: [],
    pricing_skus: model.skus ?? null,
  }
}

function imageRecord(model: SimulatedModel, index: number): Json {
  return {
    id: model.id,
    name: model.name,
    description: 'A simulated image model.',
    created: createdAt(index),
    architecture: { input_modalities: model.inputs, output_modalities: model.outputs },
    supported_parameters: IMAGE_PARAMETERS,
    supports_streaming: false,
    endpoints: `/api/v1/images/models/${model.id}/endpoints`,
  }
}

/** An object here, where the list of models has an array. */
const IMAGE_PARAMETERS: Json = {
  n: { type: 'range', min: 1, max: 10 },
  seed: { type: 'boolean' },
  aspect_ratio: { type: 'enum', values: ['1:1', '16:9', '9:16'] },
}
