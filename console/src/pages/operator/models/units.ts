/** How many units of a price to show together, so that the figures can be read. */
const SIZES: Record<string, number> = {
  image: 1,
  video_second: 1,
  request: 1,
  web_search: 1,
  audio_second: 60,
  character: 1_000,
}
const TOKENS = new Set([
  'prompt',
  'completion',
  'input_cache_read',
  'input_audio_cache',
  'input_cache_write',
  'input_cache_write_30m',
  'input_cache_write_1h',
  'input_cache_write_12h',
  'image_token',
  'image_output',
  'audio',
  'audio_output',
  'internal_reasoning',
])

/** Prices of single items (a video of some size) are per item. */
export function sizeOf(name: string): number {
  return TOKENS.has(name) ? 1_000_000 : (SIZES[name] ?? 1)
}
