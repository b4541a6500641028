import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseBuffer } from 'music-metadata'
import {
  AUDIO_FORMATS,
  audioFormat,
  requireAudio,
  type AudioFormat,
} from '../../../src/gateway/media/audio-format.ts'
import { audioSeconds } from '../../../src/gateway/media/audio-length.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { growth, IN_PROPORTION } from '../../support/growth.ts'
import { adts, bareMp3, ebml, flac, id3, mp4, rf64, SOUNDS } from '../../support/samples/sounds.ts'

const head = (...bytes: number[]) => Buffer.concat([Buffer.from(bytes), Buffer.alloc(400, 0x11)])
const ascii = (text: string) => Buffer.from(text, 'latin1')

test('every format is recognised by its bytes', () => {
  for (const format of AUDIO_FORMATS) assert.equal(audioFormat(SOUNDS[format]), format)
})

const ambiguous: [string, Buffer, AudioFormat | undefined][] = [
  ['audio-only MP4, brand isom', mp4('isom', ['soun']), 'm4a'],
  ['audio-only MP4, brand mp42, its index last', mp4('mp42', ['soun'], true), 'm4a'],
  ['MP4 with text beside the sound', mp4('iso5', ['soun', 'text']), 'm4a'],
  ['audiobook', mp4('M4B ', ['soun']), 'm4a'],
  ['MP4 with pictures', mp4('isom', ['vide', 'soun']), undefined],
  ['MP4 without tracks', mp4('isom', []), undefined],
  ['3GP', mp4('3gp4', ['soun']), undefined],
  ['QuickTime', mp4('qt  ', ['soun']), undefined],
  ['HEIC', mp4('heic', ['soun']), undefined],
  ['Matroska', ebml('matroska'), undefined],
  ['RF64', rf64(), 'wav'],
  ['WebP, also RIFF', ascii('RIFF\x10\0\0\0WEBPVP8 '), undefined],
  ['AVI, also RIFF', ascii('RIFF\x10\0\0\0AVI LIST'), undefined],
  ['bare MP3 frames', bareMp3(), 'mp3'],
  ['MPEG-1 layer III', head(0xff, 0xfb, 0x90, 0x00), 'mp3'],
  ['MPEG-2.5 layer III', head(0xff, 0xe3, 0x40, 0xc0), 'mp3'],
  ['MPEG layer II', head(0xff, 0xfd, 0x84, 0x00), 'mp3'],
  ['no bitrate', head(0xff, 0xfb, 0xf0, 0x00), undefined],
  ['UTF-16 text', Buffer.from('\ufeffHabari', 'utf16le'), undefined],
  ['JPEG', head(0xff, 0xd8, 0xff, 0xe0), undefined],
  ['FLAC after an ID3 tag', id3(flac()), 'flac'],
  ['AAC after an ID3 tag', id3(adts()), 'aac'],
  ['MP3 after an ID3 tag', id3(bareMp3()), 'mp3'],
  ['an ID3 tag and nothing', ascii('ID3\x03\0\0\0\0\0\0'), undefined],
  ['AAC with CRC', head(0xff, 0xf0, 0x60, 0x40, 0x0d, 0x60, 0x00), 'aac'],
  ['ADIF', ascii('ADIF\0\0\0\0\0\0'), 'aac'],
  ['LATM', head(0x56, 0xe0, 0x20), undefined],
  ['JSON', ascii('{"error":"no"}'), undefined],
]
for (const [name, bytes, format] of ambiguous) {
  test(`${name}: ${format ?? 'none of ours'}`, () => assert.equal(audioFormat(bytes), format))
}

test('a mismatch names what was found', async () => {
  const wrong: [Buffer, AudioFormat | undefined, RegExp][] = [
    [SOUNDS.mp3, 'wav', /says wav, but the bytes are mp3/],
    [SOUNDS.wav, 'webm', /says webm, but the bytes are wav/],
    [ebml('matroska'), 'webm', /says webm, but the bytes are mkv/],
    [mp4('isom', ['vide', 'soun']), 'm4a', /the bytes are video/],
    [head(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), undefined, /must be audio.*png/],
    [ascii('%PDF-1.7 …'), 'mp3', /the bytes are pdf/],
    [ascii('<html>'), 'mp3', /the bytes are text/],
    [Buffer.alloc(0), 'mp3', /is empty/],
  ]
  for (const [bytes, format, message] of wrong) {
    assert.throws(
      () => requireAudio(bytes, { field: 'input_audio.format', format }),
      (error) => {
        assert.ok(error instanceof Failure)
        assert.match(error.message, message)
        assert.equal(error.param, 'input_audio.format')
        return true
      },
    )
  }
})

test('hostile headers: no crash', () => {
  for (const format of AUDIO_FORMATS) {
    const sample = SOUNDS[format]
    for (let cut = 0; cut < Math.min(sample.length, 300); cut++) {
      audioFormat(sample.subarray(0, cut))
      audioSeconds(sample.subarray(0, cut), format)
    }
    for (let at = 0; at < Math.min(sample.length, 400); at++) {
      for (const value of [0x00, 0xff]) {
        const spoilt = Buffer.from(sample)
        spoilt[at] = value
        audioFormat(spoilt)
        const seconds = audioSeconds(spoilt, format)
        assert.ok(seconds === undefined || seconds > 0, `${format} ${at}`)
      }
    }
  }
})

test('an upload of boxes, chunks, elements or frames of the smallest size takes time in proportion', () => {
  for (const format of AUDIO_FORMATS) {
    const sample = SOUNDS[format]
    const times = growth((size) => {
      const flood = Buffer.concat([
        sample.subarray(0, 40),
        Buffer.alloc(size, sample.subarray(0, 8)),
      ])
      audioFormat(flood)
      audioSeconds(flood, format)
    }, 3 << 20)
    assert.ok(times < IN_PROPORTION, `${format}: ${times}`)
  }
})

const REAL: [AudioFormat, string, string[]][] = [
  ['wav', 'wav', []],
  ['mp3', 'mp3', ['-b:a', '64k']],
  ['flac', 'flac', []],
  ['m4a', 'm4a', ['-c:a', 'aac']],
  ['m4a', 'mp4', ['-c:a', 'aac', '-brand', 'mp42']],
  ['ogg', 'ogg', ['-c:a', 'libopus']],
  ['ogg', 'oga', ['-c:a', 'libvorbis']],
  ['webm', 'webm', ['-c:a', 'libopus']],
  ['aac', 'aac', []],
]

test('real encoders, where the system has them; a second reader agrees on the length', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mlango-sounds-'))
  try {
    for (const [format, extension, options] of REAL) {
      const file = join(folder, `tone.${extension}`)
      const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2.5:sample_rate=48000']
      const made = spawnSync('ffmpeg', ['-v', 'error', '-y', ...tone, ...options, file])
      if (made.status !== 0) continue
      const bytes = readFileSync(file)
      assert.equal(audioFormat(bytes), format, extension)
      const seconds = audioSeconds(bytes, format)!
      assert.ok(Math.abs(seconds - 2.5) < 0.15, `${extension}: ${seconds}`)
      const { format: other } = await parseBuffer(bytes, undefined, { duration: true })
      assert.ok(Math.abs(seconds - other.duration!) < 0.15, `${extension}: ${other.duration}`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the second reader agrees on the sounds made in code too', async () => {
  for (const format of ['wav', 'mp3'] as const) {
    const { format: other } = await parseBuffer(SOUNDS[format], undefined, { duration: true })
    assert.ok(Math.abs(audioSeconds(SOUNDS[format], format)! - other.duration!) < 0.1, format)
  }
})

test('however boxes are nested, a bounded number of them is looked at', () => {
  const empty = mp4Box('mdia', Buffer.alloc(0))
  const trak = mp4Box('trak', Buffer.concat(Array.from({ length: 700 }, () => empty)))
  const moov = mp4Box('moov', Buffer.concat(Array.from({ length: 2_000 }, () => trak)))
  const bytes = Buffer.concat([mp4Box('ftyp', ascii('isomisom')), moov])
  let read = 0
  bytes.readUInt32BE = (at) => {
    read += 1
    return Buffer.prototype.readUInt32BE.call(bytes, at)
  }
  assert.equal(audioFormat(bytes), undefined)
  assert.equal(audioSeconds(bytes, 'm4a'), undefined)
  assert.ok(read < 110_000, `${read} boxes`)
})

test('the name of a WebM may be padded with NUL, and is not looked for in what follows', () => {
  assert.equal(audioFormat(ebml('webm\0\0\0')), 'webm')
  assert.equal(audioFormat(ebml(`${'\0'.repeat(100)}webm`)), undefined)
})

function mp4Box(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, content])
}
