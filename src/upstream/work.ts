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

/** All upstreams. Built by `openUpstreams`. */
export type Upstreams = {
  /**
   * Tries targets by priority, weight and health until one answers. Throws only a `Failure`. A
   * stream is returned with its first event, so errors before it are ordinary failures; later ones
   * are thrown by the stream.
   */
  call<Name extends keyof Work>(
    targets: readonly ModelTarget[],
    name: Name,
    request: Work[Name]['request'],
    asking?: Asking,
  ): Promise<Work[Name]['result']>
  /** Asks only this target, independent of health: for operators. */
  ask<Name extends keyof Work>(
    target: ModelTarget,
    name: Name,
    request: Work[Name]['request'],
    signal?: CallSignal,
  ): Promise<Work[Name]['result']>
  /**
   * The targets in the order that `call` would use, for work that records the target before it
   * asks. Throws like `call` if none can be asked.
   */
  order<Target extends ModelTarget>(
    targets: readonly Target[],
    name: keyof Work,
    session?: string,
  ): Target[]
  /** Whether any target can do it. */
  can(targets: readonly ModelTarget[], name: keyof Work): boolean
  /** Whether it accepts requests of this dialect unchanged. */
  speaks(target: ModelTarget, dialect: NativeRequest['dialect']): boolean
  /** Whether it turns PDFs into text for models that cannot read files. */
  parsesFiles(target: ModelTarget): boolean
  /** Whether it can be told to keep nothing of a chat. */
  keepsNothing(target: ModelTarget): boolean
  /** Throws a `Failure` when it cannot be read. */
  catalog(upstream: string, signal?: AbortSignal): Promise<CatalogReading>
  /** In the order of the file. */
  readonly list: readonly UpstreamEntry[]
  /** Asks every upstream whether it is there, in the background. */
  probe(signal?: AbortSignal): Promise<void>
  /** Whether an upstream accepts our key, for operators. */
  check(upstream: string): Promise<UpstreamCheck>
  /** Exactly these get no new work; they finish what they have begun. */
  drain(names: ReadonlySet<string>): void
  /** A drained upstream counts as not healthy. */
  health(): { healthy: boolean; upstreams_total: number; upstreams_healthy: number }
  /** For operators only: these name upstreams. */
  problems(): UpstreamProblem[]
  /** Attempts at each upstream since the last call of this. */
  takeCounts(): Map<string, UpstreamCounts>
  close(): Promise<void>
}

/** `tookMs` is undefined where no free request exists. */
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
 * Each item is a batch of chunk texts, to be sent as `data: …\n\n`; it may be empty. The chunks of
 * the end are in `last`, sent with usage and `[DONE]` after the settlement. Throws a `Failure` when
 * the upstream breaks.
 */
export type ChatStream = Source<readonly string[]> &
  Pick<
    ChatReader,
    'usage' | 'finishReason' | 'generationId' | 'outputBytes' | 'pictures' | 'native'
  > & {
    /** The chunks with a `finish_reason`, held back. */
    readonly last: readonly string[]
    /** The answer is complete; only usage may still come. */
    readonly finished: boolean
    /** Our time-out ended it while text was arriving. */
    readonly timedOut?: boolean
    /** By `performance.now()`. */
    readonly firstOutputAtMs?: number | undefined
    /** An upper bound of its tokens, if it was cut off. */
    readonly boundTokens?: number | undefined
  }

export type UpstreamEntry = {
  name: string
  type: string
  priority: number
  weight: number
  sync: boolean
  margin: string
  /** Records in the file add to the synced ones and win over them. */
  records: readonly CatalogRecord[]
}
