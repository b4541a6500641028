import { openChatStream } from './chat-stream.ts'
import type { BytesCapability, HttpCall, JsonCapability, Provider } from './contract/contract.ts'
import { Fault } from './contract/fault.ts'
import { exchange, troubled } from './line.ts'
import type { Line } from './line.ts'
import { flowOf, gather, type Source } from './wire/source.ts'
import type { Flow, Work } from './work.ts'

type Run<Name extends keyof Work> = {
  can(provider: Provider): boolean
  run(line: Line, request: Work[Name]['request']): Promise<Work[Name]['result']>
}

/** How each kind of work is done with a provider that can do it. */
export const RUNS: { [Name in keyof Work]: Run<Name> } = {
  chat: jsonRun((provider) => provider.chat),
  chatStream: {
    can: (provider) => provider.chat !== undefined,
    run: (line, request) => openChatStream(line, request),
  },
  embeddings: jsonRun((provider) => provider.embeddings),
  transcription: jsonRun((provider) => provider.transcription),
  image: jsonRun((provider) => provider.image),
  videoStart: jsonRun((provider) => provider.video?.start),
  videoStatus: jsonRun((provider) => provider.video?.status),
  speech: {
    can: (provider) => provider.speech !== undefined,
    run: (line, request) =>
      bytesRun(line, line.provider.speech!, request, async (format, bytes) => {
        const audio = await gather(bytes, request.maxBytes)
        if (audio.length === 0) throw new Fault('garbage', 'empty_audio')
        return { ...format, audio }
      }),
  },
  videoContent: {
    can: (provider) => provider.video !== undefined,
    run: (line, request) =>
      bytesRun(line, line.provider.video!.content, request, async (format, bytes, call) => ({
        ...format,
        bytes: translated(flowOf(bytes), line, call),
      })),
  },
}

function jsonRun<Request, Result>(
  capability: (provider: Provider) => JsonCapability<Request, Result> | undefined,
) {
  return {
    can: (provider: Provider) => capability(provider) !== undefined,
    run: (line: Line, request: Request): Promise<Result> => {
      const able = capability(line.provider)!
      return exchange(line, able.build(request, line.target), async (call) => {
        const answer = await line.sender.json(line.place, call, line.signal)
        return able.read(answer, request, line.target)
      })
    },
  }
}

function bytesRun<Request, Format, Result>(
  line: Line,
  capability: BytesCapability<Request, Format>,
  request: Request,
  finish: (format: Format, bytes: Source<Buffer>, call: HttpCall) => Promise<Result>,
): Promise<Result> {
  return exchange(line, capability.build(request, line.target), async (call) => {
    const answer = await line.sender.bytes(line.place, call, line.signal)
    try {
      return await finish(capability.read(answer, request), answer.bytes, call)
    } catch (error) {
      answer.bytes.cancel()
      throw error
    }
  })
}

/** Faults of a flow that was handed out become failures fit to be shown. */
function translated(flow: Flow<Buffer>, line: Line, call: HttpCall): Flow<Buffer> {
  return {
    ...flow,
    next: async () => {
      try {
        return await flow.next()
      } catch (error) {
        throw line.broken(troubled(error, line, call))
      }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
