import { send } from '../../../../client/ask.ts'
import type { SampleCall } from '../../../../samples/types.ts'
import { base64Of, blobOf, type Recording } from './recording.ts'

export type Way = 'talk' | 'hear' | 'speak'
export type VoiceSettings = {
  language: 'sw' | 'en'
  reply: 'sw' | 'en'
  voice: string
  input: string
}

/** The request, without the recording. */
export type VoiceRequest = VoiceSettings & {
  way: Way
  hearing: string
  text: string
  speech: string
}

export type VoiceResult = { heard?: string; answer?: string; sound?: Blob }

/** Each mode is one call; the code sample shows exactly what is sent. */
export function voiceCall(
  request: VoiceRequest,
  recording: Pick<Recording, 'name' | 'format'>,
): SampleCall {
  const { name, format } = recording
  const voice = request.voice === '' ? {} : { voice: request.voice }
  if (request.way === 'hear') {
    const fields = { model: request.hearing, language: request.language }
    return {
      path: '/v1/audio/transcriptions',
      form: { fields, file: name, type: MEDIA_TYPES[format] ?? 'audio/webm' },
    }
  }
  if (request.way === 'speak') {
    return {
      path: '/v1/audio/speech',
      body: { model: request.speech, input: request.input, ...voice, response_format: 'mp3' },
      answer: 'sound',
    }
  }
  return {
    path: '/v1/voice/responses',
    body: {
      audio_format: format,
      stt_model: request.hearing,
      text_model: request.text,
      tts_model: request.speech,
      ...voice,
      language: request.language,
      response_language: request.reply,
      response_format: 'mp3',
      include_audio: true,
    },
    inBase64: { member: 'audio_data', file: name },
  }
}

const MEDIA_TYPES: Record<string, string> = {
  webm: 'audio/webm',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  aac: 'audio/aac',
}

export async function sendVoice(
  call: SampleCall,
  recording: Recording | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const name = `POST ${call.path}` as 'POST /v1/voice/responses'
  if (call.form !== undefined && recording !== undefined) {
    const form = new FormData()
    for (const [field, value] of Object.entries(call.form.fields)) form.append(field, value)
    form.append('file', new Blob([recording.blob], { type: call.form.type }), call.form.file)
    return send(name, { body: form, signal })
  }
  if (call.inBase64 === undefined || recording === undefined) {
    return send(name, { body: call.body, signal })
  }
  const data = await base64Of(recording.blob)
  return send(name, { body: { ...call.body, [call.inBase64.member]: data }, signal })
}

type VoiceAnswer = {
  transcript: string
  text: string
  audio_base64?: string
  audio_content_type?: string
}

export async function readVoice(way: Way, response: Response): Promise<VoiceResult> {
  if (way === 'speak') return { sound: await response.blob() }
  if (way === 'hear') return { heard: ((await response.json()) as { text: string }).text }
  const answer = (await response.json()) as VoiceAnswer
  return {
    heard: answer.transcript,
    answer: answer.text,
    ...(answer.audio_base64 === undefined
      ? {}
      : { sound: blobOf(answer.audio_base64, answer.audio_content_type ?? 'audio/mpeg') }),
  }
}
