import { useEffect, useRef, useState } from 'react'
import { formatOf, recorderType, type Recording } from './recording.ts'

/** Speech is clear at this rate, and a minute of it is 180 kB. */
const BITS_PER_S = 24_000
const LONGEST_S = 120

export type RecorderState = 'idle' | 'asking' | 'recording' | 'refused' | 'unsupported'

/** Records from the microphone until it is stopped, or for two minutes. */
export function useRecorder(onDone: (recording: Recording) => void) {
  const [state, setState] = useState<RecorderState>('idle')
  const [seconds, setSeconds] = useState(0)
  const running = useRef<MediaRecorder>(undefined)
  const stop = () => {
    if (running.current?.state === 'recording') running.current.stop()
  }
  useEffect(
    () => () => {
      const recorder = running.current
      if (recorder === undefined) return
      recorder.onstop = null
      endOf(recorder)
    },
    [],
  )
  useEffect(() => {
    if (state !== 'recording') return undefined
    const began = Date.now()
    const timer = setInterval(() => {
      const passed = (Date.now() - began) / 1_000
      setSeconds(passed)
      if (passed >= LONGEST_S) stop()
    }, 200)
    return () => clearInterval(timer)
  }, [state])

  const start = async () => {
    const type = recorderType()
    if (type === undefined || !navigator.mediaDevices) return setState('unsupported')
    setState('asking')
    setSeconds(0)
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const recorder = new MediaRecorder(stream, {
        mimeType: type,
        audioBitsPerSecond: BITS_PER_S,
      })
      const pieces: Blob[] = []
      const began = Date.now()
      recorder.ondataavailable = ({ data }) => void pieces.push(data)
      recorder.onstop = () => {
        endOf(recorder)
        setState('idle')
        const format = formatOf(type, '') ?? 'webm'
        onDone({
          blob: new Blob(pieces, { type }),
          format,
          seconds: (Date.now() - began) / 1_000,
          name: `sauti.${format}`,
        })
      }
      running.current = recorder
      recorder.start()
      setState('recording')
    } catch {
      setState('refused')
    }
  }
  return { state, seconds, start: () => void start(), stop }
}

/** Releases the microphone. */
function endOf(recorder: MediaRecorder): void {
  if (recorder.state !== 'inactive') recorder.stop()
  recorder.stream.getTracks().forEach((track) => track.stop())
}
