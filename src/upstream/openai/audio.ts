import { fieldsOf, textOf, type Fields } from '../../lib/json.ts'
import type {
  AnswerHead,
  HttpCall,
  JsonAnswer,
  ModelTarget,
  SpeechFormat,
  SpeechRequest,
  TranscriptionRequest,
  TranscriptionResult,
  Pieces,
} from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { answerFields, openAiUsage } from './fields.ts'
import { randomBase62 } from '../../lib/ids.ts'

export function buildTranscription(request: TranscriptionRequest, target: ModelTarget): HttpCall {
  const parts: FormPart[] = [
    { name: 'model', value: target.model },
    { name: 'response_format', value: request.responseFormat },
    ...(request.language === undefined ? [] : [{ name: 'language', value: request.language }]),
    ...extraParts(request.extra ?? {}),
    {
      name: 'file',
      value: request.audio,
      filename: `audio.${request.format}`,
      type: 'application/octet-stream',
    },
  ]
  const { contentType, body } = multipart(parts)
  return {
    method: 'POST',
    path: '/audio/transcriptions',
    headers: { 'content-type': contentType },
    body,
    expects: 'json',
  }
}

function extraParts(extra: Fields): FormPart[] {
  return Object.entries(extra).flatMap(([name, value]) => {
    if (Array.isArray(value)) {
      return value.map((item) => ({ name: `${name}[]`, value: String(item) }))
    }
    const plain = typeof value === 'string' || typeof value === 'number'
    return plain ? [{ name, value: String(value) }] : []
  })
}

export function readTranscription(answer: JsonAnswer): TranscriptionResult {
  const json = answerFields(answer)
  if (typeof json.text !== 'string') throw new UpstreamError('garbage', 'text')
  const { text: _text, usage: rawUsage, language, duration, ...verbose } = json
  const seconds = duration ?? fieldsOf(rawUsage).seconds
  return {
    text: json.text,
    language: textOf(language) || undefined,
    durationS: typeof seconds === 'number' && seconds >= 0 && seconds < 1e6 ? seconds : undefined,
    verbose,
    usage: openAiUsage(rawUsage),
    generationId: answer.headers['x-generation-id'],
  }
}

/** The format is always sent: upstreams have different defaults. */
export function buildSpeech(request: SpeechRequest, target: ModelTarget): HttpCall {
  const { input, voice, responseFormat, speed, maxBytes } = request
  const own = { model: target.model, input, voice, response_format: responseFormat, speed }
  const body = { ...request.extra, ...own }
  return {
    method: 'POST',
    path: '/audio/speech',
    json: body,
    expects: 'bytes',
    maxBytes,
    overflow: 'caller',
  }
}

export function readSpeech(head: AnswerHead, request: SpeechRequest): SpeechFormat {
  const type = head.headers['content-type'] ?? ''
  if (type.includes('html')) throw new UpstreamError('garbage', 'page')
  if (/json|text\//.test(type)) throw new UpstreamError('garbage', 'not_audio')
  return {
    mediaType: request.responseFormat === 'mp3' ? 'audio/mpeg' : 'audio/pcm',
    generationId: head.headers['x-generation-id'],
  }
}

type FormPart = { name: string; value: string | Buffer; filename?: string; type?: string }

/** Nothing is copied, also when sent again. */
function multipart(parts: readonly FormPart[]): { contentType: string; body: Pieces } {
  const boundary = `mlango-${randomBase62(24)}`
  const pieces: Buffer[] = []
  for (const part of parts) {
    pieces.push(Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`))
    pieces.push(typeof part.value === 'string' ? Buffer.from(part.value) : part.value)
    pieces.push(Buffer.from('\r\n'))
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: inPieces(pieces) }
}

const PIECE_BYTES = 256 * 1024

/** Small enough for back-pressure. */
function inPieces(buffers: readonly Buffer[]): Pieces {
  return {
    length: buffers.reduce((sum, one) => sum + one.length, 0),
    *read() {
      for (const buffer of buffers) {
        for (let at = 0; at < buffer.length; at += PIECE_BYTES) {
          yield buffer.subarray(at, at + PIECE_BYTES)
        }
      }
    },
  }
}

function headOf(part: FormPart): string {
  const file = part.filename === undefined ? '' : `; filename="${quoted(part.filename)}"`
  const type = part.type === undefined ? '' : `\r\nContent-Type: ${part.type}`
  return `Content-Disposition: form-data; name="${quoted(part.name)}"${file}${type}`
}

/** Quotes and line breaks must not end the header. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
