import { sendJson } from '../greedy-answer.ts'
import { worth, worthOfUsd } from '../models.ts'
import { wishes, type Order } from './order.ts'
import { countPrompt } from './prompt.ts'
import { soundSeconds } from './sound.ts'
import { billSpenders } from './spenders.ts'

/** A recording in which nobody speaks says so in its tags. */
export const SILENCE = 'kimya-kabisa'

/** `POST /audio/transcriptions`, by the seconds that were begun. */
export async function transcribe(order: Order): Promise<void> {
  const { raw, headers, model, meter, res } = order
  const type = String(headers['content-type'])
  const form = await new Response(new Uint8Array(raw), {
    headers: { 'content-type': type },
  }).formData()
  const file = form.get('file')
  if (!(file instanceof Blob)) throw new Error('a transcription without a file')
  const seconds = Math.ceil(soundSeconds(Buffer.from(await file.arrayBuffer())))
  meter.add(worthOfUsd(seconds * model.prices.second!))
  const text = raw.includes(SILENCE) ? '' : 'Habari za leo.'
  const usage = { type: 'duration', seconds }
  sendJson(res, model.silent ? { text } : { text, usage })
}

const WAVE = Buffer.from([0, 16, 1, 240])
/** 16 bit, mono, 24 kHz, at fifteen characters a second. */
const PCM_BYTES_PER_CHARACTER = 3_200

/** `POST /audio/speech`, by the character. */
export function speak(order: Order): void {
  const { body, model, meter, res } = order
  const characters = Array.from(String(body.input)).length
  meter.add(worthOfUsd(characters * model.prices.character!))
  billSpenders(order)
  res.writeHead(200, { 'content-type': 'audio/pcm' })
  const sound = Buffer.alloc(characters * PCM_BYTES_PER_CHARACTER, WAVE)
  res.end(wishes(order, 'inaudible') ? 'upstream says sorry in words' : sound)
}

/** `POST /embeddings`. One vector is missing where the caller could make it so. */
export function embed(order: Order): void {
  const { body, model, meter, res } = order
  const inputs = [body.input].flat()
  const tokens = countPrompt({ inputs }).text
  meter.add(worth(tokens, model.prices.prompt!))
  const kept = wishes(order, 'missingVector') ? inputs.slice(1) : inputs
  const data = kept.map((_, index) => ({ object: 'embedding', index, embedding: [0.1, 0.2] }))
  sendJson(res, { object: 'list', data, usage: { prompt_tokens: tokens, total_tokens: tokens } })
}
