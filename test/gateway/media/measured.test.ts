import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measure } from '../../../src/gateway/media/measure.ts'
import { measureFile } from '../../../src/gateway/media/measured.ts'
import { isTwoSeconds, sampleFile, THREE_PAGES, TWO_SECONDS } from '../../support/samples/files.ts'
import { SOUNDS } from '../../support/samples/sounds.ts'

function secondsOf(bytes: Buffer, type: string): number | undefined {
  const file = measureFile(bytes, type)
  assert.ok(file.kind === 'sound' || file.kind === 'film', file.kind)
  return file.seconds
}

for (const [name, type] of Object.entries(TWO_SECONDS)) {
  test(`${name} lasts two seconds`, () => {
    const seconds = secondsOf(sampleFile(name), type)
    assert.ok(isTwoSeconds(seconds), String(seconds))
  })
}

/** At every place where `mark` stands: what is written so many bytes behind it. */
function claim(bytes: Buffer, mark: string, behind: number, value: Buffer): Buffer {
  const lying = Buffer.from(bytes)
  let count = 0
  for (
    let at = lying.indexOf(mark, 0, 'latin1');
    at >= 0;
    at = lying.indexOf(mark, at + 1, 'latin1')
  ) {
    value.copy(lying, at + behind)
    count += 1
  }
  assert.ok(count > 0, `no ${mark}`)
  return lying
}

const u32 = (value: number) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])
const shortMovie = (bytes: Buffer) =>
  [
    ['mvhd', 20],
    ['mdhd', 20],
    ['tkhd', 24],
  ].reduce((file, [mark, at]) => claim(file, mark as string, at as number, u32(1)), bytes)
/** One unit for each packet. */
const quickMovie = (bytes: Buffer) => claim(shortMovie(bytes), 'stts', 16, u32(1))
const firstPosition = Buffer.from([160, 0, 0, 0, 0, 0, 0, 0])
const shortOgg = (bytes: Buffer) => claim(bytes, 'OggS', 6, firstPosition)
const shortWebm = (bytes: Buffer) => claim(bytes, 'D\x89\x88', 3, Buffer.alloc(8))
const shortWav = (bytes: Buffer) => claim(bytes, 'data', 4, Buffer.from([80, 0, 0, 0]))

const LIES: [name: string, lie: (bytes: Buffer) => Buffer][] = [
  ['pcm.wav', shortWav],
  ['mulaw.wav', shortWav],
  ['ima.wav', shortWav],
  ['gsm.wav', (bytes) => claim(shortWav(bytes), 'fact', 8, Buffer.from([80, 0, 0, 0]))],
  ['cbr.mp3', (bytes) => claim(bytes, 'Info', 8, u32(1))],
  ['vbr.mp3', (bytes) => claim(bytes, 'Xing', 8, u32(1))],
  ['flac.flac', (bytes) => claim(bytes, 'fLaC', 22, u32(80))],
  ['aac.m4a', quickMovie],
  ['alac.m4a', quickMovie],
  ['fragments.m4a', shortMovie],
  ['opus.ogg', shortOgg],
  ['long-packets.ogg', shortOgg],
  ['vorbis.ogg', shortOgg],
  ['opus.webm', shortWebm],
  ['vorbis.webm', shortWebm],
  ['film.mp4', shortMovie],
  ['film.webm', shortWebm],
]
for (const [name, lie] of LIES) {
  test(`${name} that claims to be over at once lasts two seconds`, () => {
    const lying = lie(sampleFile(name))
    assert.notDeepEqual(lying, sampleFile(name))
    const seconds = secondsOf(lying, TWO_SECONDS[name]!)
    assert.ok(isTwoSeconds(seconds), String(seconds))
  })
}

test('sound that is hidden from the packets that are read makes a length unknown', () => {
  for (const [name, type] of Object.entries(TWO_SECONDS)) {
    if (/wav|flac/.test(name)) continue
    const file = sampleFile(name)
    const more = Buffer.concat([file, Buffer.alloc(file.length * 2, 'x')])
    assert.equal(secondsOf(more, type), undefined, name)
  }
})

for (const [name, letters] of Object.entries(THREE_PAGES)) {
  test(`${name} has three pages, and its text is counted`, () => {
    const file = measureFile(sampleFile(name), 'application/pdf')
    assert.ok(file.kind === 'pdf' && file.size !== undefined)
    assert.equal(file.size.pages, 3)
    assert.ok(Math.abs(file.size.textBytes - letters) <= letters / 10 + 100)
  })
}

test('a file is what its bytes are, or text where it is not declared as a medium', () => {
  const zip = Buffer.from('PK\u0003\u0004 and more')
  const cases: [Buffer, string, string][] = [
    [sampleFile('office.pdf'), '', 'pdf'],
    [sampleFile('office.pdf'), 'image/png', 'pdf'],
    [sampleFile('office.pdf'), 'text/plain', 'text'],
    [sampleFile('office.pdf'), 'application/json', 'text'],
    [Buffer.from('Habari'), 'application/pdf', 'text'],
    [Buffer.from('Habari'), 'video/mp4', 'text'],
    [Buffer.from('<svg/>'), 'image/svg+xml', 'text'],
    [Buffer.from('Habari'), 'audio/mpeg', 'sound'],
    [SOUNDS.mp3, 'application/octet-stream', 'sound'],
    [sampleFile('opus.webm'), 'audio/webm', 'sound'],
    [sampleFile('film.webm'), 'video/webm', 'film'],
    [sampleFile('film.mp4'), 'audio/mp4', 'film'],
    [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'image/png', 'picture'],
    [Buffer.from('\0\0\0\x18ftypheic'), 'image/heic', 'picture'],
    [zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'packed'],
    [zip, 'text/plain', 'text'],
  ]
  for (const [bytes, type, kind] of cases) assert.equal(measureFile(bytes, type).kind, kind, type)
})

test('files that end anywhere, or of which any byte is wrong, are measured or not, and that is all', () => {
  const pdfs = ['packed.pdf', 'locked.pdf', ...Object.keys(THREE_PAGES)]
  const types = {
    ...TWO_SECONDS,
    ...Object.fromEntries(pdfs.map((name) => [name, 'application/pdf'])),
  }
  let next = 12_345
  const random = (below: number) => (next = (next * 48_271) % 2_147_483_647) % below
  for (const [name, type] of Object.entries(types)) {
    const file = sampleFile(name)
    for (let cut = 0; cut < file.length; cut += 997) measureFile(file.subarray(0, cut), type)
    for (let round = 0; round < 16; round++) {
      const spoilt = Buffer.from(file)
      for (let i = 0; i <= round % 8; i++)
        spoilt[random(round % 2 ? 400 : file.length)] = random(256)
      const measured = measureFile(spoilt, type)
      if (!('seconds' in measured) || measured.seconds === undefined) continue
      assert.ok(measured.seconds > 0 && Number.isFinite(measured.seconds), name)
    }
    const noise = Buffer.from(Array.from({ length: 20_000 }, () => random(256)))
    measureFile(Buffer.concat([file.subarray(0, 64), noise]), type)
  }
})

test('measured beside the other calls: one after the other, as bytes or as base64', async () => {
  const file = sampleFile('opus.ogg')
  const type = 'audio/ogg'
  const all = await Promise.all([
    measure({ content: file, type }),
    measure({ content: file.toString('base64'), type }),
    measure({ content: Buffer.alloc(0), type }),
  ])
  const [asBytes, asBase64, nothing] = all
  assert.ok(asBytes?.kind === 'sound' && isTwoSeconds(asBytes.seconds))
  assert.deepEqual(asBase64, asBytes)
  assert.deepEqual(nothing, { kind: 'sound', seconds: undefined })
  assert.ok(file.length > 0, 'the sender keeps its bytes')
})

test('what ends the thread that measures leaves a length unknown, and the next file is measured', async () => {
  const broken = { content: 'AAAA', type: [] as unknown as string }
  const [failed, next] = await Promise.all([
    measure(broken),
    measure({ content: sampleFile('opus.ogg'), type: 'audio/ogg' }),
  ])
  assert.equal(failed, undefined)
  assert.equal(next?.kind, 'sound')
})
