/**
 * Real sound, made in code. The words that were spoken travel inside the file (a WAV comment, an
 * ID3 comment), so that simulated transcription returns what simulated speech said.
 */
const RATE = 24_000
const NOTES = [250, 500, 750, 1_000]

/** One MPEG-2 layer III frame (24 ms, 32 kbit/s, 24 kHz) for each note: whole waves, so they join. */
const FRAMES = [
  '//NExAAMKu4cAL1ORPhH1oBg+54RKQMnvict/5T/4mL/+V+n0f/yv/0/+Vf///xP/9G/9W/8qW///8oHfJpiCmopmXGJgYAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '//NExAAKitocALgPJPhEAvBgZx4R9GwYaj//f/1v8TjH///idv///X///4hb///yj///+Cgf9aYgpqKZlxiYGAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '//NExAAHYo4cALgOzH//8I8g4Mgcv8TjH/////lBn/////1L/////+Jg5MQU1FMy4xMDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '//NExAAISqYcALgPpP/3/8I99wMWPvCII0DATX/1f////G6//xM3///////goyYgpqKZlxiYGAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
].map((frame) => Buffer.from(frame, 'base64'))
const FRAME_S = 0.024
const MP3_BYTES_PER_S = 4_000

/** About 15 characters a second, at least half a second, at most two minutes. */
function spokenSeconds(text: string, speed = 1): number {
  return Math.min(120, Math.max(0.5, Array.from(text).length / 15 / speed))
}

export function mp3(text: string, speed = 1): Buffer {
  const count = Math.ceil(spokenSeconds(text, speed) / FRAME_S)
  const frames = Array.from({ length: count }, (_, i) => FRAMES[noteAt(text, i / 10)]!)
  return Buffer.concat([id3(text), ...frames])
}

/** 16-bit little-endian mono at 24 kHz. */
export function pcm(text: string, speed = 1): Buffer {
  const count = Math.ceil(spokenSeconds(text, speed) * RATE)
  const samples = Buffer.alloc(count * 2)
  for (let i = 0; i < count; i++) {
    const note = NOTES[noteAt(text, i / (RATE * 0.24))]!
    samples.writeInt16LE(Math.round(9_000 * Math.sin((2 * Math.PI * note * i) / RATE)), i * 2)
  }
  return samples
}

export function wav(text: string): Buffer {
  const sound = pcm(text)
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(RATE, 4)
  format.writeUInt32LE(RATE * 2, 8)
  format.writeUInt16LE(2, 12)
  format.writeUInt16LE(16, 14)
  const comment = riff('LIST', Buffer.concat([Buffer.from('INFO'), riff('ICMT', markedText(text))]))
  const body = [Buffer.from('WAVE'), riff('fmt ', format), comment, riff('data', sound)]
  return riff('RIFF', Buffer.concat(body))
}

/** The text inside a file made here. */
export function spokenTextIn(audio: Buffer): string | undefined {
  const at = audio.indexOf(MARK)
  if (at < 0) return undefined
  const end = audio.indexOf(0, at)
  return audio.toString('utf8', at + MARK.length, end < 0 ? undefined : end)
}

export function secondsOf(audio: Buffer): number {
  const isWav = audio.toString('latin1', 0, 4) === 'RIFF' && audio.length > 44
  const perSecond = isWav ? audio.readUInt32LE(28) : MP3_BYTES_PER_S
  const seconds = audio.length / (perSecond > 0 ? perSecond : MP3_BYTES_PER_S)
  return Math.max(0.1, Math.round(seconds * 100) / 100)
}

const MARK = Buffer.from('SIM-WORDS:')
const markedText = (text: string) =>
  Buffer.concat([MARK, Buffer.from(text.slice(0, 4_000)), Buffer.alloc(1)])

function noteAt(text: string, position: number): number {
  return text.charCodeAt(Math.floor(position) % Math.max(1, text.length)) % NOTES.length || 0
}

function riff(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8, name, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

/** An ID3v2.3 comment that holds UTF-8: players skip it, simulated transcription reads it. */
function id3(text: string): Buffer {
  const body = Buffer.concat([Buffer.from('\0eng\0', 'latin1'), markedText(text)])
  const frame = Buffer.alloc(10, 'COMM', 'latin1')
  frame.fill(0, 4)
  frame.writeUInt32BE(body.length, 4)
  const size = frame.length + body.length
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, 0])
  for (let i = 0; i < 4; i++) head[9 - i] = (size >> (7 * i)) & 0x7f
  return Buffer.concat([head, frame, body])
}
