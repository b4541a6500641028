import { useEffect, useRef, useState } from 'react'
import { AskFailure } from '../../../../client/failure.ts'
import { useStored } from '../../../../client/device-storage.ts'
import { storable, type ChatBody, type Message } from './body.ts'
import { streamChat } from './stream.ts'
import type { Charge } from '../charge-line.tsx'

/** A conversation with a model, stored on this device. Leaving before an answer is complete costs nothing. */
export function useChat() {
  const [talk, setTalk] = useStored<Message[]>('talk', [])
  const [arriving, setArriving] = useState<string>()
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const ask = async (asked: Message[], body: ChatBody): Promise<void> => {
    const controller = new AbortController()
    running.current = controller
    let text = ''
    let requestId = ''
    const end = (more: Partial<Message>) =>
      setTalk(
        storable([
          ...asked,
          {
            role: 'assistant',
            content: text,
            model: body.model,
            ...(requestId && { requestId }),
            ...more,
          },
        ]),
      )
    setTalk(storable(asked))
    setError(undefined)
    setArriving('')
    try {
      await streamChat({
        body,
        signal: controller.signal,
        onStart: (id) => (requestId = id),
        onText: (piece) => setArriving((text += piece)),
      })
      end({})
    } catch (failure) {
      if (controller.signal.aborted) end({ end: 'stopped' })
      else if (requestId !== '' && failure instanceof AskFailure) end({ end: 'broken' })
      else setError(failure)
    } finally {
      setArriving(undefined)
    }
  }
  return {
    talk,
    /** The text so far, while an answer comes. */
    arriving,
    error,
    ask,
    stop: () => running.current?.abort(),
    clear: () => (setTalk([]), setError(undefined)),
    /** Removes a question that was not answered. */
    takeBack: () => setTalk(talk.slice(0, -1)),
    noteCharge: (at: number, charge: Charge) =>
      setTalk(talk.map((message, index) => (index === at ? { ...message, charge } : message))),
  }
}
