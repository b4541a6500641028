import { z } from 'zod'
import type { Timeouts } from './contract/contract.ts'
import { PROVIDERS } from './providers.ts'
import type { ProviderType } from './providers.ts'
import { readRecords } from './prices/record.ts'
import type { UpstreamEntry } from './work.ts'
import { plainDecimal } from '../lib/decimal.ts'

export type UpstreamConfig = UpstreamEntry & {
  type: ProviderType
  baseUrl: string
  apiKey: string | undefined
  timeouts: Partial<Timeouts>
}

/**
 * Reads the parsed UPSTREAMS_FILE. Keys come from the environment that is passed in, by the names
 * the file gives. Throws an Error whose sentences name the fields, never a value.
 */
export function readUpstreams(
  json: unknown,
  env: Record<string, string | undefined>,
): UpstreamConfig[] {
  const parsed = file.safeParse(json)
  if (!parsed.success) {
    throw new Error(
      parsed.error.issues.map((one) => `${one.path.join('.')}: ${one.message}.`).join('\n'),
    )
  }
  const names = parsed.data.upstreams.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Error('upstreams: every name must be unique.')
  return parsed.data.upstreams.map((entry, index) => withKey(entry, index, env))
}

const milliseconds = z.number().int().min(1).max(3_600_000)
const margin = z
  .union([z.number(), z.string()])
  .transform((value) => plainDecimal(value) ?? '')
  .refine((text) => /^\d+(\.\d+)?$/.test(text) && Number(text) > 0, 'must be a positive decimal')

const entry = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be lowercase letters and digits'),
  type: z.enum(Object.keys(PROVIDERS) as [ProviderType, ...ProviderType[]]),
  base_url: z.url({ protocol: /^https?$/ }),
  api_key_env: z.string().min(1).optional(),
  priority: z.number().int().min(0).max(1000).default(1),
  weight: z.number().positive().max(1000).default(1),
  sync: z.boolean().optional(),
  margin: margin.default('1'),
  models: z.array(z.unknown()).default([]),
  timeouts: z
    .object({
      connect_ms: milliseconds.optional(),
      first_byte_ms: milliseconds.optional(),
      idle_ms: milliseconds.optional(),
      total_ms: milliseconds.optional(),
    })
    .default({}),
})
const file = z.object({ upstreams: z.array(entry).min(1) })

function withKey(
  given: z.infer<typeof entry>,
  index: number,
  env: Record<string, string | undefined>,
): UpstreamConfig {
  const apiKey = given.api_key_env === undefined ? undefined : env[given.api_key_env]
  if (given.api_key_env !== undefined && !apiKey) {
    throw new Error(`upstreams.${index}.api_key_env: the variable it names is not set.`)
  }
  const { records, skipped } = readRecords(given.models, () => ({}))
  if (skipped > 0) throw new Error(`upstreams.${index}.models: every record needs an id.`)
  return {
    name: given.name,
    type: given.type,
    priority: given.priority,
    weight: given.weight,
    sync: given.sync ?? given.type === 'openrouter',
    margin: given.margin,
    records,
    baseUrl: given.base_url,
    apiKey,
    timeouts: timeoutsOf(given.timeouts),
  }
}

function timeoutsOf(given: z.infer<typeof entry>['timeouts']): Partial<Timeouts> {
  const found: Partial<Timeouts> = {}
  if (given.connect_ms !== undefined) found.connectMs = given.connect_ms
  if (given.first_byte_ms !== undefined) found.firstByteMs = given.first_byte_ms
  if (given.idle_ms !== undefined) found.idleMs = given.idle_ms
  if (given.total_ms !== undefined) found.totalMs = given.total_ms
  return found
}
