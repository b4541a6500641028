import { setTimeout as sleep } from 'node:timers/promises'
import { askSome, seenOf, type Load, type Player } from './player.ts'
import type { Person } from './person.ts'

/** Video jobs under a key, asked again when the answer was lost, and followed to their end. */
export const videoLoad: Load = {
  name: 'video',
  weight: 1,
  async play(player) {
    const { dice, history } = player
    const person = dice.pick(player.people)
    const mark = player.mark()
    const idempotencyKey = `video-${mark}`
    const model = dice.weighted([
      { weight: 8, id: 'sim/filamu' },
      { weight: 1, id: 'sim/video-fault-video-failed' },
      { weight: 1, id: 'sim/video-fault-video-forgotten' },
    ]).id
    for (let tries = 0; tries < 6; tries++) {
      const heard = await askSome(player, {
        line: 'POST /v1/videos',
        token: person.key,
        headers: { 'idempotency-key': idempotencyKey },
        body: { model, prompt: `Tembo ${mark}`, duration: 4 },
      })
      const text = heard.status === 202 ? heard.text : undefined
      history.add({ ...seenOf('video', person, heard), idempotencyKey, text, stages: 0 })
      if (text !== undefined) return follow(player, person, jobOf(text))
      if (heard.whole && heard.status < 500 && ![409, 429].includes(heard.status)) return
      await sleep(dice.between(100, 900))
    }
  },
}

/** When all is whole again the job must end, and a finished one must be there to be fetched. */
function follow(player: Player, person: Person, jobId: string): void {
  player.later(async (player) => {
    for (let tries = 0; tries < 90; tries++) {
      const line = `GET /v1/videos/${jobId}`
      const heard = await askSome(player, { line, token: person.key })
      const status = heard.status === 200 ? statusOf(heard.text) : ''
      if (status === 'completed') return fetchContent(player, person, jobId)
      if (['failed', 'cancelled', 'expired'].includes(status)) return
      await sleep(1_000)
    }
    player.history.wrong(`the video job ${jobId} never ended`)
  })
}

async function fetchContent(player: Player, person: Person, jobId: string): Promise<void> {
  const line = `GET /v1/videos/${jobId}/content`
  const heard = await askSome(player, { line, token: person.key })
  if (heard.status !== 200) player.history.wrong(`the video of ${jobId}: ${heard.status}`)
}

function jobOf(text: string): string {
  return (JSON.parse(text) as { data: { job_id: string } }).data.job_id
}

function statusOf(text: string): string {
  return (JSON.parse(text) as { data: { status: string } }).data.status
}
