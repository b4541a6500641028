import { askSome, seenOf, type Load } from './player.ts'

/** Streams that are read to their end, and streams whose reader leaves somewhere on the way. */
export const streamLoad: Load = {
  name: 'stream',
  weight: 14,
  async play(player) {
    const { dice, history } = player
    const person = dice.pick(player.people)
    const mark = player.mark()
    let left = dice.chance(0.12) ? dice.between(1, 12) : Infinity
    const heard = await askSome(player, {
      line: 'POST /v1/chat/completions',
      token: person.key,
      body: {
        model: dice.pick(['sim/fixed', 'sim/hekima-mini', 'sim/fault-no-done', 'sim/fault-reset']),
        messages: [{ role: 'user', content: `Habari ${mark}` }],
        stream: true,
      },
      onPiece: () => (left -= 1) > 0,
    })
    const seen = { ...seenOf('stream', person, heard), mark }
    if (heard.status !== 200 || !heard.whole) return history.add(seen)
    const events = heard.text.split('\n\n').filter((line) => line.startsWith('data: '))
    const done = events.at(-1) === 'data: [DONE]'
    const told = events.at(-1)?.startsWith('data: {"error"') === true
    // Ended politely, yet neither finished nor told why: nobody could know what became of it.
    if (!done && !told) history.wrong(`a stream ended without a word: ${heard.text.slice(-200)}`)
    history.add({ ...seen, end: done ? 'good' : 'refused', status: done ? 200 : 299 })
  },
}
