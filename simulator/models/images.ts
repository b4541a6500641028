import { randomBytes } from 'node:crypto'
import { sendJson } from './send.ts'
import type { Exchange } from './exchange.ts'
import { drawPng } from './picture.ts'
import { Refusal } from './faults/refusal.ts'
import { applyUsageFault, usd } from './usage.ts'

const TOKENS = 4_175
const LARGEST = 512

/** `POST /images`: always base64, billed by the image. */
export async function images(exchange: Exchange): Promise<void> {
  const { body } = exchange
  const model = exchange.model!
  if (typeof body.prompt !== 'string' || body.prompt === '') {
    throw new Refusal(400, 'prompt must not be empty')
  }
  const count = Number(body.n ?? 1)
  if (!Number.isInteger(count) || count < 1 || count > 10) throw new Refusal(400, 'n: 1 to 10')
  const data = Array.from({ length: count }, (_, index) => ({
    b64_json: draw(exchange, index).toString('base64'),
    media_type: 'image/png',
  }))
  const usage = applyUsageFault(exchange, {
    prompt_tokens: 0,
    completion_tokens: TOKENS * count,
    total_tokens: TOKENS * count,
    cost: usd([[count, String(model.imageUsd ?? 0)]]),
  })
  await sendJson(exchange, {
    created: Math.floor(Date.now() / 1000),
    data,
    usage,
  })
}

/** What follows the end of a PNG belongs to nobody's picture, but has to be carried. */
function draw({ body, fault }: Exchange, index: number): Buffer {
  const [width, height] = sizeOf(body.size)
  const png = drawPng(`${body.prompt as string} ${index}`, width, height)
  return fault === 'picture-huge' ? Buffer.concat([png, randomBytes(10 * 1024 * 1024)]) : png
}

function sizeOf(size: unknown): [number, number] {
  const found = /^(\d{1,5})x(\d{1,5})$/.exec(String(size))
  if (found === null) return [256, 256]
  return [Math.min(Number(found[1]), LARGEST), Math.min(Number(found[2]), LARGEST)]
}
