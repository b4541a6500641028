import { z } from 'zod'
import { plainDecimal } from '../lib/decimal.ts'
import { isTrustedAddress } from '../lib/party-address.ts'
import type { Provider, Timeouts } from './contract/contract.ts'
import { readRecords } from './prices/record.ts'
import * as registry from './providers.ts'
import type { UpstreamEntry } from './work.ts'

export type ProviderType = keyof typeof registry
export const PROVIDERS: Record<ProviderType, Provider> = { ...registry }

export type UpstreamConfig = UpstreamEntry & {
  type: ProviderType
  baseUrl: string
  apiKey: string | undefined
  timeouts: Partial<Timeouts>
  /** What passes to it beside the fields that always do. */
  passFields?: ReadonlySet<string> | undefined
  /** It accepts Responses unchanged. */
  responses?: boolean | undefined
}

/**
 * Reads the parsed UPSTREAMS_FILE; keys are in the environment, under the names in the file. Errors
 * name fields, never values. Keys and prompts go without TLS only to `plainHosts`.
 */
export function readUpstreams(
  json: unknown,
  env: Record<string, string | undefined>,
  plainHosts: readonly string[] = [],
): UpstreamConfig[] {
  const parsed = file.safeParse(json)
  if (!parsed.success) {
    throw new Error(
      parsed.error.issues.map((one) => `${one.path.join('.')}: ${one.message}.`).join('\n'),
    )
  }
  const names = parsed.data.upstreams.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Error('upstreams: every name must be unique.')
  parsed.data.upstreams.forEach(({ base_url: baseUrl }, index) => {
    if (isTrustedAddress(baseUrl, plainHosts)) return
    const why = 'must be an https address, or its host in ALLOW_PLAINTEXT_HOSTS'
    throw new Error(`upstreams.${index}.base_url: ${why}.`)
  })
  return parsed.data.upstreams.map((entry, index) => withKey(entry, index, env))
}

const milliseconds = z.number().int().min(1).max(3_600_000)
const margin = z
  .union([z.number(), z.string()])
  .transform((value) => plainDecimal(value) ?? '')
  .refine((text) => /^\d+(\.\d+)?$/.test(text) && Number(text) > 0, 'must be a positive decimal')

/** The gateway sets these itself. */
const OWN = new Set([
  'model',
  'messages',
  'input',
  'stream',
  'stream_options',
  'user',
  'store',
  'n',
])
const passField = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be the name of a field')
  .refine((name) => !OWN.has(name), 'is set by the gateway')

const entrySchema = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be lowercase letters and digits'),
  type: z.enum(Object.keys(PROVIDERS) as [ProviderType, ...ProviderType[]]),
  base_url: z.url({ protocol: /^https?$/ }),
  api_key_env: z.string().min(1).optional(),
  priority: z.number().int().min(0).max(1000).default(1),
  weight: z.number().positive().max(1000).default(1),
  sync: z.boolean().optional(),
  margin: margin.default('1'),
  responses: z.boolean().optional(),
  pass_fields: z.array(passField).max(200).optional(),
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
const file = z.object({ upstreams: z.array(entrySchema).min(1) })

function withKey(
  entry: z.infer<typeof entrySchema>,
  index: number,
  env: Record<string, string | undefined>,
): UpstreamConfig {
  const apiKey = entry.api_key_env === undefined ? undefined : env[entry.api_key_env]
  if (entry.api_key_env !== undefined && !apiKey) {
    throw new Error(`upstreams.${index}.api_key_env: the variable it names is not set.`)
  }
  const { records, skipped } = readRecords(entry.models, () => ({}))
  if (skipped > 0) throw new Error(`upstreams.${index}.models: every record needs an id.`)
  return {
    name: entry.name,
    type: entry.type,
    priority: entry.priority,
    weight: entry.weight,
    sync: entry.sync ?? PROVIDERS[entry.type].models !== undefined,
    margin: entry.margin,
    records,
    baseUrl: entry.base_url,
    apiKey,
    timeouts: timeoutsOf(entry.timeouts),
    ...(entry.responses && { responses: true }),
    ...(entry.pass_fields && { passFields: new Set(entry.pass_fields) }),
  }
}

function timeoutsOf(entry: z.infer<typeof entrySchema>['timeouts']): Partial<Timeouts> {
  const found: Partial<Timeouts> = {}
  if (entry.connect_ms !== undefined) found.connectMs = entry.connect_ms
  if (entry.first_byte_ms !== undefined) found.firstByteMs = entry.first_byte_ms
  if (entry.idle_ms !== undefined) found.idleMs = entry.idle_ms
  if (entry.total_ms !== undefined) found.totalMs = entry.total_ms
  return found
}
