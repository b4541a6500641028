import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import type { CatalogReading, CatalogRecord, VideoFacts } from '../../catalog/model-record.ts'
import { readPricing, type MediaLists } from './record-pricing.ts'

const ID = /^[\x21-\x7e]{1,200}$/
/** Batch variants answer 404 on all our routes. */
const NOT_SERVED = /:batch$/
const VOICE = /^[\p{L}\p{N} _.:/-]{1,100}$/u

export type Extras = MediaLists & { video?: VideoFacts }

/** Unknown values never spoil a record. */
export function readRecords(list: unknown[], extrasOf: (id: string) => Extras): CatalogReading {
  const records: CatalogRecord[] = []
  let skipped = 0
  for (const raw of list) {
    const id = isFields(raw) ? textOf(raw.id) : undefined
    if (!isFields(raw) || id === undefined || !ID.test(id)) skipped += 1
    else if (!NOT_SERVED.test(id)) records.push(readRecord(id, raw, extrasOf(id)))
  }
  return { records, skipped }
}

/** The upstream's shape (`architecture.…`) or the flat one of the file. */
function readRecord(id: string, raw: Fields, extras: Extras): CatalogRecord {
  const architecture = fieldsOf(raw.architecture)
  const top = fieldsOf(raw.top_provider)
  const outputs = words(architecture.output_modalities ?? raw.output_modalities ?? ['text'])
  const { video, ...lists } = extras
  return {
    id,
    upstreamModel: textOf(raw.upstream_id) ?? id,
    name: textOf(raw.name) ?? id,
    description: textOf(raw.description),
    created: count(raw.created),
    expires: moment(raw.expiration_date),
    contextLength: count(raw.context_length) ?? count(top.context_length),
    maxOutputTokens: count(raw.max_output_tokens) ?? count(top.max_completion_tokens),
    inputModalities: words(architecture.input_modalities ?? raw.input_modalities ?? ['text']),
    outputModalities: outputs,
    supportedParameters: words(raw.supported_parameters),
    supportedVoices: words(raw.supported_voices).filter((voice) => VOICE.test(voice)),
    ...readPricing(raw.pricing, outputs, lists),
    ...(outputs.includes('video') ? { video: video ?? readVideoFacts(raw) } : {}),
  }
}

export function readVideoFacts(raw: Fields): VideoFacts {
  return {
    durations: listOf(raw.supported_durations).filter((item) => typeof item === 'number'),
    resolutions: words(raw.supported_resolutions),
    aspectRatios: words(raw.supported_aspect_ratios),
    sizes: words(raw.supported_sizes),
  }
}

function words(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === 'string')
}

/** A date alone is the beginning of that day, UTC. */
function moment(value: unknown): number | undefined {
  const text = textOf(value)
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1_000)
}

/** Media models write 0 for "does not apply". */
function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
