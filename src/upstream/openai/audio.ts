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
} from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { answerFields, openAiUsage, withoutSteering } from './fields.ts'
import { multipart, type FormPart } from './multipart.ts'

export function buildTranscription(request: TranscriptionRequest, target: ModelTarget): HttpCall {
  const parts: FormPart[] = [
    { name: 'model', value: target.model },
    { name: 'response_format', value: request.responseFormat },
    ...(request.language === undefined ? [] : [{ name: 'language', value: request.language }]),
    ...extraParts(withoutSteering(request.extra ?? {})),
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
  const body = { ...withoutSteering(request.extra ?? {}), ...own }
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
  if (/json|html|text\//.test(type)) throw new UpstreamError('garbage', 'not_audio')
  return {
    mediaType: request.responseFormat === 'mp3' ? 'audio/mpeg' : 'audio/pcm',
    generationId: head.headers['x-generation-id'],
  }
}
