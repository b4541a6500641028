import { setTimeout as sleep } from 'node:timers/promises'
import { callSome, seenCallOf, type Load, type Player } from './player.ts'
import type { Person } from './person.ts'

/** Keyed video jobs, repeated when the answer was lost, and followed to their end. */
export const videoLoad: Load = {
  name: 'video',
  weight: 1,
  async play(player) {
    const { random, history } = player
    const person = random.pick(player.people)
    const mark = player.mark()
    const idempotencyKey = `video-${mark}`
    const model = random.weighted([
      { weight: 8, id: 'sim/filamu' },
      { weight: 1, id: 'sim/video-fault-video-failed' },
      { weight: 1, id: 'sim/video-fault-video-forgotten' },
    ]).id
    for (let tries = 0; tries < 6; tries++) {
      const answer = await callSome(player, {
        endpoint: 'POST /v1/videos',
        token: person.key,
        headers: { 'idempotency-key': idempotencyKey },
        body: { model, prompt: `Tembo ${mark}`, duration: 4 },
      })
      const text = answer.status === 202 ? answer.text : undefined
      history.add({ ...seenCallOf('video', person, answer), idempotencyKey, text, stages: 0 })
      if (text !== undefined) return follow(player, person, jobOf(text))
      if (answer.whole && answer.status < 500 && ![409, 429].includes(answer.status)) return
      await sleep(random.between(100, 900))
    }
  },
}

/** Once the faults have stopped the job must end, and a completed one must be downloadable. */
function follow(player: Player, person: Person, jobId: string): void {
  player.later(async (player) => {
    for (let tries = 0; tries < 90; tries++) {
      const endpoint = `GET /v1/videos/${jobId}`
      const answer = await callSome(player, { endpoint, token: person.key })
      const status = answer.status === 200 ? statusOf(answer.text) : ''
      if (status === 'completed') return fetchContent(player, person, jobId)
      if (['failed', 'cancelled', 'expired'].includes(status)) return
      await sleep(1_000)
    }
    player.history.violation(`the video job ${jobId} never ended`)
  })
}

async function fetchContent(player: Player, person: Person, jobId: string): Promise<void> {
  const endpoint = `GET /v1/videos/${jobId}/content`
  const answer = await callSome(player, { endpoint, token: person.key })
  if (answer.status !== 200) player.history.violation(`the video of ${jobId}: ${answer.status}`)
}

function jobOf(text: string): string {
  return (JSON.parse(text) as { data: { job_id: string } }).data.job_id
}

function statusOf(text: string): string {
  return (JSON.parse(text) as { data: { status: string } }).data.status
}
