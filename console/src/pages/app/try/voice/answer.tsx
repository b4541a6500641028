import type { ReactNode } from 'react'
import { Copy } from '../../../../parts/copy.tsx'
import { useWords } from '../../../../words/language.tsx'
import { AudioPlayer } from '../audio-player.tsx'
import type { VoiceResult } from './calls.ts'
import { voiceWords } from './words.ts'
import { tryWords } from '../words.ts'

/** What was heard, what was answered, and how it sounds. */
export function VoiceAnswer({ result, children }: { result: VoiceResult; children: ReactNode }) {
  const words = useWords(voiceWords)
  const common = useWords(tryWords)
  const { heard, answer, sound } = result
  return (
    <section
      aria-label={common.result}
      aria-live="polite"
      className="card flex flex-col gap-3 border-l-4 border-l-green p-4"
    >
      {heard !== undefined && (
        <Transcript label={answer === undefined ? words.transcript : words.youSaid} text={heard} />
      )}
      {answer !== undefined && <Transcript label={words.answer} text={answer} />}
      {sound !== undefined && <AudioPlayer blob={sound} label={words.spoken} />}
      {heard !== undefined && answer === undefined && (
        <div>
          <Copy text={heard} />
        </div>
      )}
      {children}
    </section>
  )
}

function Transcript({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <p className="text-sm font-semibold text-soft">{label}</p>
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
    </div>
  )
}
