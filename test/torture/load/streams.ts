import { callSome, seenCallOf, type Load } from './player.ts'

/** Streams that are read to their end, and streams whose reader leaves somewhere on the way. */
export const streamLoad = (models: readonly string[]): Load => ({
  name: 'stream',
  weight: 14,
  async play(player) {
    const { random, history } = player
    const person = random.pick(player.people)
    const mark = player.mark()
    let left = random.chance(0.12) ? random.between(1, 12) : Infinity
    const answer = await callSome(player, {
      endpoint: 'POST /v1/chat/completions',
      token: person.key,
      body: {
        model: random.pick(models),
        messages: [{ role: 'user', content: `Habari ${mark}` }],
        stream: true,
      },
      onPiece: () => (left -= 1) > 0,
    })
    const seen = { ...seenCallOf('stream', person, answer), mark }
    if (answer.status !== 200 || !answer.whole) return history.add(seen)
    const events = answer.text.split('\n\n').filter((event) => event.startsWith('data: '))
    const done = events.at(-1) === 'data: [DONE]'
    const reported = events.at(-1)?.startsWith('data: {"error"') === true
    // It ended without [DONE] and without an error: the client cannot know what became of it.
    if (!done && !reported)
      history.violation(
        `a stream ended with neither [DONE] nor an error: ${answer.text.slice(-200)}`,
      )
    history.add({ ...seen, end: done ? 'good' : 'refused', status: done ? 200 : 299 })
  },
})
