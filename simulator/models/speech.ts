import { generationId, sendBytes } from './send.ts'
import type { Exchange } from './exchange.ts'
import { Refusal } from './faults/refusal.ts'
import { mp3, pcm, wav } from './sound.ts'
import { countCharacters, priceOf, usd } from './usage.ts'

/** `POST /audio/speech`: raw bytes, `pcm` unless asked otherwise, and no usage in the answer. */
export async function speech(exchange: Exchange): Promise<void> {
  const { input, voice, response_format: format = 'pcm', speed = 1 } = exchange.body
  const model = exchange.model!
  if (typeof input !== 'string' || input === '') throw new Refusal(400, 'input must not be empty')
  if (format !== 'pcm' && format !== 'mp3') throw new Refusal(400, 'response_format: mp3 or pcm')
  if (typeof voice !== 'string') throw new Refusal(400, 'voice is required')
  if (model.voices !== undefined && !model.voices.includes(voice)) {
    throw new Refusal(400, `voice must be one of ${model.voices.join(', ')}`)
  }
  const pace = Math.min(4, Math.max(0.25, Number(speed) || 1))
  const bytes =
    SPEECH_FAULTS[exchange.fault ?? '']?.(input) ??
    (format === 'mp3' ? mp3(input, pace) : pcm(input, pace))
  const generation = generationId()
  exchange.entry.cost = usd([[countCharacters(input), priceOf(model, 'prompt')]])
  await sendBytes(exchange, bytes, {
    'content-type': format === 'mp3' ? 'audio/mpeg' : 'audio/pcm',
    'content-length': String(bytes.length),
    'x-generation-id': generation,
  })
}

const SPEECH_FAULTS: Record<string, (input: string) => Buffer> = {
  'audio-huge': (input) => Buffer.concat([mp3(input), Buffer.alloc(26 * 1024 * 1024)]),
  'audio-json': () => Buffer.from('{"error":{"message":"SimProvider broke","code":500}}'),
  'audio-wav': wav,
}
