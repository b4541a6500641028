import type { Asking } from '../lib/telemetry/call-course.ts'
import type { CatalogReading, CatalogRecord } from '../catalog/model-record.ts'
import type {
  ChatReader,
  ChatRequest,
  ChatResult,
  EmbeddingsRequest,
  EmbeddingsResult,
  ImageRequest,
  ImageResult,
  ModelTarget,
  NativeRequest,
  SpeechFormat,
  SpeechRequest,
  TranscriptionRequest,
  TranscriptionResult,
} from './contract/contract.ts'
import type {
  VideoContentFormat,
  VideoContentRequest,
  VideoJobRef,
  VideoRequest,
  VideoStatus,
} from './contract/video.ts'
import type { CallSignal } from '../lib/telemetry/trace.ts'
import type { AccountWhy } from './contract/upstream-error.ts'
import type { UpstreamCounts, UpstreamProblem } from './health/health.ts'
import type { Source } from './wire/source.ts'

/** What the other rooms hold: every upstream behind one verb. Built by `openUpstreams`. */
export type Upstreams = {
  /**
   * Tries the targets by priority, weight and health until one answers. Throws only a `Failure`
   * fit to be shown. A stream is returned once its first event is there, so that whatever goes
   * wrong before the first byte is still an ordinary failure; later ones are thrown by the stream.
   */
  call<Name extends keyof Work>(
    targets: readonly ModelTarget[],
    name: Name,
    request: Work[Name]['request'],
    asking?: Asking,
  ): Promise<Work[Name]['result']>
  /** Asks this one and no other, whatever is known of its health: for the operator. */
  ask<Name extends keyof Work>(
    target: ModelTarget,
    name: Name,
    request: Work[Name]['request'],
    signal?: CallSignal,
  ): Promise<Work[Name]['result']>
  /**
   * The targets in the order in which `call` would try them, for work that must record whom it asks
   * before it asks. Throws as `call` does when there is nobody to ask.
   */
  order<Target extends ModelTarget>(targets: readonly Target[], name: keyof Work): Target[]
  /** Can any of these targets do it at all? */
  can(targets: readonly ModelTarget[], name: keyof Work): boolean
  /** Does it take requests of this dialect as they are? */
  speaks(target: ModelTarget, dialect: NativeRequest['dialect']): boolean
  /** Does it turn PDFs into text for models that cannot read files? */
  parsesFiles(target: ModelTarget): boolean
  /** Reads the catalog of one upstream. Throws a `Failure` when it cannot be read. */
  catalog(upstream: string, signal?: AbortSignal): Promise<CatalogReading>
  /** Every upstream of the file, in its order. */
  readonly list: readonly UpstreamEntry[]
  /** Asks every upstream whether it is there. A background job runs it now and then. */
  probe(signal?: AbortSignal): Promise<void>
  /** Whether one upstream accepts our key, for the operator. */
  check(upstream: string): Promise<UpstreamCheck>
  /** These, and no others, begin nothing more; what they have begun they finish. */
  drain(names: ReadonlySet<string>): void
  /** One that is drained counts as not healthy. */
  health(): { healthy: boolean; upstreams_total: number; upstreams_healthy: number }
  /** For the operator only: these name upstreams. */
  problems(): UpstreamProblem[]
  /** Attempts at each upstream since this was last asked. */
  takeCounts(): Map<string, UpstreamCounts>
  close(): Promise<void>
}

/** `tookMs` is undefined where an upstream can be asked nothing that is free. */
export type UpstreamCheck = {
  tookMs: number | undefined
  problem: AccountWhy | 'rate_limited' | 'unreachable' | undefined
}

export type Work = {
  chat: { request: ChatRequest; result: ChatResult }
  chatStream: { request: ChatRequest; result: ChatStream }
  count: { request: ChatRequest; result: { tokens: number } }
  embeddings: { request: EmbeddingsRequest; result: EmbeddingsResult }
  transcription: { request: TranscriptionRequest; result: TranscriptionResult }
  speech: { request: SpeechRequest; result: SpeechFormat & { audio: Buffer } }
  image: { request: ImageRequest; result: ImageResult }
  videoStart: { request: VideoRequest; result: VideoJobRef }
  videoStatus: { request: VideoJobRef; result: VideoStatus }
  videoContent: {
    request: VideoContentRequest
    result: VideoContentFormat & { bytes: Source<Buffer> }
  }
}

/**
 * Each item is a batch of ready chunk texts, to be framed as `data: …\n\n`; it may be empty. What
 * tells that the answer is complete is not among them: the gateway sends `last`, a usage chunk and
 * `[DONE]` after it has settled. It throws a `Failure` when the upstream breaks.
 */
export type ChatStream = Source<readonly string[]> &
  Pick<
    ChatReader,
    'usage' | 'finishReason' | 'generationId' | 'outputBytes' | 'pictures' | 'native'
  > & {
    /** The chunks with a `finish_reason`, held back. */
    readonly last: readonly string[]
    /** The upstream has given all of the answer; at most its usage is still to come. */
    readonly finished: boolean
    /** Our own time-out ended it while text was coming. */
    readonly timedOut?: boolean
    /** By `performance.now()`. */
    readonly firstOutputAtMs?: number | undefined
    /** An upper bound of its tokens, if we cut it off. */
    readonly boundTokens?: number | undefined
  }

export type UpstreamEntry = {
  name: string
  type: string
  priority: number
  weight: number
  sync: boolean
  /** A plain decimal, such as `1.0`. */
  margin: string
  /** Records written by hand in the file. They add to the synced ones and win over them. */
  records: readonly CatalogRecord[]
}
