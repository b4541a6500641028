import { SILENCE } from './metered/media.ts'
import { WISHES } from './metered/order.ts'
import { messageOf } from './meters.ts'
import { chatOf } from './free-work.ts'
import { recordingOf } from './sizes.ts'
import { answered, askAs, inParallel, tagOf, type Strategy, type Thief } from './thief.ts'

const IMAGES = 'POST /v1/images/generations'

/** Ten were asked for, one is drawn, and nine are told. */
const essaysForPictures: Strategy = {
  name: 'essays in place of pictures',
  weight: 2,
  async play(thief) {
    const mark = `picha-${thief.nth}-${thief.random.between(1, 1e9)}`
    const prompt = `${tagOf(thief, this.name)} ${WISHES.essay} ${mark}`
    const body = { model: 'mita/chora', n: 10, prompt }
    return answered([await askAs(thief, { endpoint: IMAGES, body })])
  },
}

const noPictures: Strategy = {
  name: 'pictures that are never drawn',
  weight: 2,
  async play(thief) {
    const prompt = `${tagOf(thief, this.name)} ${WISHES.essay} ${WISHES.noPicture}`
    const body = { model: 'mita/chora', n: 2, prompt }
    return answered(await inParallel(5, () => askAs(thief, { endpoint: IMAGES, body })))
  },
}

/** More than the 25 MiB that are gathered. */
const SPOKEN_CHARACTERS = 8_400

const endlessSpeech: Strategy = {
  name: 'speech too large to be sent',
  weight: 1,
  async play(thief) {
    const input = `${tagOf(thief, this.name)} ${'maji '.repeat(SPOKEN_CHARACTERS / 5)}`
    return answered(await inParallel(2, () => askAs(thief, speech(input))))
  },
}

const inaudibleSpeech: Strategy = {
  name: 'inaudible speech',
  weight: 2,
  async play(thief) {
    const input = `${tagOf(thief, this.name)} ${WISHES.inaudible} ${'maji '.repeat(400)}`
    return answered(await inParallel(3, () => askAs(thief, speech(input))))
  },
}

const silentRecordings: Strategy = {
  name: 'silent recordings spoken to',
  weight: 2,
  async play(thief) {
    const bytes = recordingOf(thief, `${tagOf(thief, this.name)} ${SILENCE}`)
    const body = {
      audio_data: bytes.toString('base64'),
      audio_format: bytes.toString('latin1', 0, 4) === 'OggS' ? 'ogg' : 'webm',
      stt_model: thief.random.pick(['mita/sikia', 'mita/sikia-kimya']),
      text_model: 'mita/mjibu',
      include_audio: false,
    }
    const call = { endpoint: 'POST /v1/voice/responses', body }
    return answered(await inParallel(2, () => askAs(thief, call)))
  },
}

const TOOL = { name: 'lipa', description: 'Lipa', parameters: { type: 'object', properties: {} } }

/** Arguments that are no object cannot be written as a block of a message. */
const wrongArguments: Strategy = {
  name: 'arguments that are no object',
  weight: 2,
  async play(thief) {
    const content = `${tagOf(thief, this.name)} ${WISHES.wrongArguments}`
    const { name, parameters } = TOOL
    const body = messageOf(thief, this.name, {
      model: 'mita/mjibu',
      max_tokens: 6_000,
      messages: [{ role: 'user', content }],
      tools: [{ name, input_schema: parameters }],
    })
    return answered(
      await inParallel(4, () => askAs(thief, { endpoint: 'POST /v1/messages', body })),
    )
  },
}

const emptyCalls: Strategy = {
  name: 'calls that come out empty',
  weight: 2,
  play: (thief) => callInVain(thief, emptyCalls.name, false),
}

const emptyStreams: Strategy = {
  name: 'streams that come out empty',
  weight: 2,
  play: (thief) => callInVain(thief, emptyStreams.name, true),
}

async function callInVain(thief: Thief, name: string, stream: boolean): Promise<boolean> {
  const body = chatOf(thief, name, {
    model: 'mita/nyota',
    stream,
    max_tokens: 9_000,
    messages: [{ role: 'user', content: WISHES.emptyCall }],
    tools: [{ type: 'function', function: TOOL }],
  })
  const call = { endpoint: 'POST /v1/chat/completions', body }
  return answered(await inParallel(4, () => askAs(thief, call)))
}

const missingVectors: Strategy = {
  name: 'a vector too few',
  weight: 1,
  async play(thief) {
    const words = `${tagOf(thief, this.name)} ${WISHES.missingVector}`
    const input = [words, '0918273645'.repeat(2_000)]
    const call = { endpoint: 'POST /v1/embeddings', body: { model: 'mita/vekta', input } }
    return answered(await inParallel(4, () => askAs(thief, call)))
  },
}

export const UNUSABLE = [
  essaysForPictures,
  noPictures,
  endlessSpeech,
  inaudibleSpeech,
  silentRecordings,
  wrongArguments,
  emptyCalls,
  missingVectors,
]

/** Not bounded: what cannot be used is counted, and no stream is refused because of it. */
export const UNBOUNDED = [emptyStreams]

function speech(input: string) {
  const body = { model: 'mita/sema', voice: 'asha', input, response_format: 'pcm' }
  return { endpoint: 'POST /v1/audio/speech', body }
}
