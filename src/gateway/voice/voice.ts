import type { Answer } from '../../lib/answer.ts'
import { prefixedId } from '../../lib/ids.ts'
import { answerHeaders, JSON_TYPE } from '../answer-headers.ts'
import { openBill } from '../bill/billable.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import type { Recording } from './hearing.ts'
import { heardLanguage } from './transcribe.ts'
import { planVoice, type VoiceAsk, type VoicePlan } from './plan.ts'
import { VoiceRun } from './run.ts'

type Told = {
  transcript: string
  transcript_language: string
  text: string
  audio_base64?: string
  audio_content_type?: string
  speech_generation_id?: string
}

/** Listens, answers and speaks: one hold, one charge at the end, one record for each stage. */
export async function respond(
  gateway: Gateway,
  call: GatewayCall,
  ask: VoiceAsk,
  recording: Recording,
): Promise<Answer> {
  const plan = planVoice(gateway, call, ask, recording)
  const { principal, requestId } = call
  const leave = gateway.turnstile.enter(principal)
  try {
    const { stage } = plan.hearing
    const bill = await openBill(gateway.desk, { principal, requestId, stage, ...plan.amounts })
    const run = new VoiceRun(call.signal, stage)
    try {
      const told = await answerAloud(plan, run)
      // Nothing is charged to a caller who has left, not even between the last stage and here.
      call.signal.throwIfAborted()
      const receipt = await bill.settle(run.lines)
      const headers = answerHeaders(requestId, receipt, undefined)
      return {
        status: 200,
        headers: { 'content-type': JSON_TYPE, ...headers },
        body: JSON.stringify(told),
      }
    } catch (error) {
      const end = run.end(error)
      if (end.status === 'cancelled' && end.ran.length > 0) gateway.turnstile.left(principal)
      await bill.drop(end)
      throw error
    }
  } finally {
    leave()
  }
}

async function answerAloud(plan: VoicePlan, run: VoiceRun): Promise<Told> {
  const heard = await run.stage(plan.hearing)
  const transcript = heard.text
  const { text } = await run.stage(plan.answering(transcript))
  const told = {
    transcript,
    transcript_language: heardLanguage(heard) ?? plan.language,
    text,
  }
  if (plan.speaking === undefined) return told
  const spoken = await run.stage(plan.speaking(text))
  return {
    ...told,
    audio_base64: spoken.audio.toString('base64'),
    audio_content_type: spoken.mediaType,
    speech_generation_id: prefixedId('gen_'),
  }
}
