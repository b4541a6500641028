import { useId, useState } from 'react'
import { Button } from '../../../../parts/button.tsx'
import { Icon } from '../../../../parts/icon.tsx'
import { Notice } from '../../../../parts/notice.tsx'
import { useFormats } from '../../../../words/format.ts'
import { useWords } from '../../../../words/language.tsx'
import { AUDIO_TYPES, formatOf, MOST_AUDIO_BYTES, type Recording } from './recording.ts'
import { AudioPlayer } from '../audio-player.tsx'
import { useRecorder } from './use-recorder.ts'
import { voiceWords } from './words.ts'

type Props = {
  recording: Recording | undefined
  onChange(recording: Recording | undefined): void
}

/** A recording from the microphone, or a file in its place. */
export function Recorder({ recording, onChange }: Props) {
  const words = useWords(voiceWords)
  if (recording === undefined) return <RecordButton onDone={onChange} />
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm font-semibold">{words.yours}</p>
      <AudioPlayer blob={recording.blob} label={words.yours} />
      <div>
        <Button kind="quiet" size="small" icon="mic" onClick={() => onChange(undefined)}>
          {words.again}
        </Button>
      </div>
    </div>
  )
}

function RecordButton({ onDone }: { onDone(recording: Recording): void }) {
  const words = useWords(voiceWords)
  const { number } = useFormats()
  const { state, seconds, start, stop } = useRecorder(onDone)
  const isOn = state === 'recording'
  return (
    <div className="flex flex-col items-center gap-3 py-4 text-center">
      <button
        type="button"
        onClick={isOn ? stop : start}
        disabled={state === 'asking'}
        aria-label={isOn ? words.stop : words.record}
        className={`flex size-24 items-center justify-center rounded-full border-4 ${isOn ? 'pulse border-danger bg-danger-wash text-danger' : 'border-green bg-green text-on-green hover:brightness-110'}`}
      >
        <Icon name={isOn ? 'stop' : 'mic'} size={40} />
      </button>
      <p role="status" className="figures font-semibold">
        {isOn
          ? words.recording(number(Math.floor(seconds)))
          : state === 'asking'
            ? words.asking
            : words.record}
      </p>
      {state === 'refused' || state === 'unsupported' ? (
        <Notice tone="warning">
          <p>{words[state]}</p>
        </Notice>
      ) : (
        <p className="text-sm text-soft">{words.longest}</p>
      )}
      {!isOn && <SoundFileChoice onDone={onDone} />}
    </div>
  )
}

function SoundFileChoice({ onDone }: { onDone(recording: Recording): void }) {
  const words = useWords(voiceWords)
  const id = useId()
  const [error, setError] = useState<string>()
  const take = (file: File | undefined) => {
    if (file === undefined) return
    const format = formatOf(file.type, file.name)
    if (format === undefined) return setError(words.wrongFile)
    if (file.size > MOST_AUDIO_BYTES) return setError(words.tooLarge)
    // Its length is not known: estimated from its size.
    onDone({ blob: file, format, seconds: Math.max(1, file.size / 8_000), name: `sauti.${format}` })
  }
  return (
    <div className="flex max-w-full flex-col items-center gap-1">
      {/* The browser's own button would be in the browser's language. */}
      <label
        htmlFor={id}
        className="inline-flex min-h-11 items-center gap-2 rounded-sm px-3 text-sm font-semibold text-green focus-within:outline-3 focus-within:outline-green hover:bg-green-wash"
      >
        <Icon name="file" />
        {words.file}
        <input
          id={id}
          type="file"
          accept={AUDIO_TYPES}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={(event) => take(event.target.files?.[0])}
          className="sr-only"
        />
      </label>
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
