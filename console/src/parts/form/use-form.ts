import { useMutation } from '@tanstack/react-query'
import { AskFailure } from '../../client/failure.ts'
import { useAskAgain, type GetName } from '../../client/use-ask.ts'

type Options<Result, Given> = {
  send(given: Given): Promise<Result>
  /** What it changes: pages that show the answers of these routes ask again. */
  renews?: readonly GetName[]
  onDone?(result: Result, given: Given): unknown
  onFailed?(error: Error, given: Given): void
  retry?(count: number, error: Error): boolean
}

/** Something that the page asks the service to do: sends it, and knows how far it is. */
export function useForm<Result, Given = void>(options: Options<Result, Given>) {
  const { send, renews = [], onDone, onFailed, retry = () => false } = options
  const again = useAskAgain()
  const work = useMutation<Result, Error, Given>({
    mutationFn: send,
    retry,
    onSuccess: (result, given) => {
      onDone?.(result, given)
      return again(...renews)
    },
    onError: (error, given) => onFailed?.(error, given),
  })
  const { error } = work
  return {
    submit: work.mutate,
    /** Sends what was sent last once more. */
    again: () => work.mutate(work.variables as Given),
    busy: work.isPending,
    /** Waits until the device is online again. */
    isPaused: work.isPaused,
    isDone: work.isSuccess,
    result: work.data,
    error,
    /** The field that the service refuses, by the API's name. */
    wrongField: error instanceof AskFailure ? error.param : undefined,
  }
}
