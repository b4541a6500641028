import { generationHeader, generationId, sendJson } from './send.ts'
import type { Exchange, Json } from './exchange.ts'
import { Refusal } from './faults/refusal.ts'
import { secondsOf, spokenTextIn } from './sound.ts'
import { countTokens, priceOf, applyUsageFault, usd } from './usage.ts'
import { languageOf } from './answer-text.ts'

const DEFAULT_TEXT: Record<string, string> = {
  sw: 'Habari, naitwa Asha Juma. Nimelipa TZS 25,000 leo asubuhi, kumbukumbu QW12ER34. Naomba salio langu.',
  en: 'Hello, my name is Asha Juma. I paid TZS 25,000 this morning, reference QW12ER34. What is my balance?',
}
const LANGUAGE_NAMES: Record<string, string> = { sw: 'swahili', en: 'english' }

/** `POST /audio/transcriptions`, JSON with base64 or multipart. */
export async function transcription(exchange: Exchange): Promise<void> {
  const form = await readForm(exchange)
  const format = form.response_format ?? 'json'
  if (format !== 'json' && format !== 'verbose_json') {
    throw new Refusal(400, 'response_format must be json or verbose_json')
  }
  const seconds = secondsOf(form.audio)
  const text = spokenTextIn(form.audio) ?? DEFAULT_TEXT[form.language ?? 'sw'] ?? DEFAULT_TEXT.en!
  const language = form.language ?? languageOf(text)
  const usage = usageOf(exchange, form.audio, text, seconds)
  const verbose: Json = {
    task: 'transcribe',
    language: LANGUAGE_NAMES[language] ?? language,
    duration: seconds,
    segments: [segment(text, seconds)],
  }
  await sendJson(
    exchange,
    { text, ...(format === 'json' ? {} : verbose), usage },
    generationHeader(generationId()),
  )
}

function segment(text: string, seconds: number): Json {
  return {
    id: 0,
    seek: 0,
    start: 0,
    end: seconds,
    text,
    tokens: [...Buffer.from(text.slice(0, 100))],
    temperature: 0,
    avg_logprob: -0.2,
    compression_ratio: 1.1,
    no_speech_prob: 0.01,
  }
}

/** By the second where `completion` is free, else by the token. */
function usageOf(exchange: Exchange, audio: Buffer, text: string, seconds: number) {
  const model = exchange.model!
  const input = Math.ceil(seconds * 10)
  const output = countTokens(text)
  const perToken = priceOf(model, 'completion') !== '0'
  const cost = perToken
    ? usd([
        [input, priceOf(model, 'prompt')],
        [output, priceOf(model, 'completion')],
      ])
    : usd([[seconds, priceOf(model, 'prompt')]])
  const tokens = { input_tokens: input, output_tokens: output, total_tokens: input + output }
  return applyUsageFault(exchange, { seconds, ...tokens, cost })
}

type Form = { audio: Buffer; language: string | undefined; response_format: string | undefined }

async function readForm({ req, raw, body }: Exchange): Promise<Form> {
  if (String(req.headers['content-type']).startsWith('multipart/')) return readMultipart(req, raw)
  const { data, format } = (body.input_audio ?? {}) as Json
  if (typeof data !== 'string' || data === '' || typeof format !== 'string') {
    throw new Refusal(400, 'input_audio needs data and format')
  }
  return {
    audio: Buffer.from(data, 'base64'),
    language: textOf(body.language),
    response_format: textOf(body.response_format),
  }
}

async function readMultipart(req: Exchange['req'], raw: Buffer): Promise<Form> {
  const form = await new Response(new Uint8Array(raw), {
    headers: { 'content-type': req.headers['content-type']! },
  }).formData()
  const file = form.get('file')
  if (file === null || typeof file === 'string') throw new Refusal(400, 'file is required')
  return {
    audio: Buffer.from(await file.arrayBuffer()),
    language: textOf(form.get('language')),
    response_format: textOf(form.get('response_format')),
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
