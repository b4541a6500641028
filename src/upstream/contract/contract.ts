import type { Fields } from '../../lib/fields.ts'
import type { CatalogReading } from '../../catalog/model-record.ts'
import type { StatusError, ErrorCategory } from './upstream-error.ts'
import type { UsageReading } from './usage.ts'
import type {
  VideoContentFormat,
  VideoContentRequest,
  VideoJobRef,
  VideoRequest,
  VideoStatus,
} from './video.ts'

/**
 * A provider is data in, data out: it builds an HTTP call and reads what came back. It opens no
 * connection and holds no key. A capability that is missing is the answer to "can it?".
 */
export type Provider = {
  /** The headers that carry the key. Nothing else of a provider ever sees the key. */
  credential(key: string): Record<string, string>
  chat?: ChatCapability
  /** The same, for an upstream whose entry says that it speaks Responses. */
  withResponses?: Provider
  /** How requests of a dialect are sent as they were written, if the model there takes them. */
  natively?(dialect: NativeRequest['dialect'], target: ModelTarget): ChatCapability | undefined
  /** Counts the tokens of such a request, for nothing. */
  count?: JsonCapability<ChatRequest, { tokens: number }>
  embeddings?: JsonCapability<EmbeddingsRequest, EmbeddingsResult>
  transcription?: JsonCapability<TranscriptionRequest, TranscriptionResult>
  speech?: BytesCapability<SpeechRequest, SpeechFormat>
  image?: JsonCapability<ImageRequest, ImageResult>
  video?: {
    start: JsonCapability<VideoRequest, VideoJobRef>
    status: JsonCapability<VideoJobRef, VideoStatus>
    content: BytesCapability<VideoContentRequest, VideoContentFormat>
  }
  /** Reads the whole catalog. A provider that has one is synced unless the file says otherwise. */
  models?: (send: SendJson) => Promise<CatalogReading>
  /** Turns PDFs into text for models that cannot read files, when `plugins` says so. */
  parsesFiles?: true
  /** A cheap call that shows that the key works. */
  probe?: () => HttpCall
  /** What an error status, or an error inside a 200, means. */
  classify(error: StatusError): ErrorCategory
  /** The message of an error, as it is written there. */
  errorMessage?(error: StatusError): string | undefined
}

/** Where a model lives: which upstream, under which id, and what it is known to take. */
export type ModelTarget = {
  upstream: string
  model: string
  maxOutputTokens?: number | undefined
  supportedParameters?: readonly string[] | undefined
}

export type Timeouts = { connectMs: number; firstByteMs: number; idleMs: number; totalMs: number }

export type HttpCall = {
  method: 'GET' | 'POST'
  /** Appended to the upstream's base URL; begins with a slash. */
  path: string
  headers: Record<string, string>
  body?: string | Buffer | Pieces | undefined
  expects: 'json' | 'sse' | 'bytes'
  timeouts?: Partial<Timeouts> | undefined
  /** Cap of the whole body (json, bytes). */
  maxBytes?: number | undefined
  /** Cap of one event (sse). */
  maxEventBytes?: number | undefined
  /** An answer over its cap is too large for the caller (413), not an upstream's failure. */
  overflow?: 'caller' | undefined
  /** The caller speaks this dialect, and is shown the upstream's own message of a rejection. */
  showErrorMessage?: boolean | undefined
  /** Statuses that mean that the content is gone for good. */
  gone?: readonly number[] | undefined
  /** False: never sent twice when the first try may have been accepted (video start). */
  repeatable?: false | undefined
}

/** A body too large to be copied: its length is known, its bytes are made as they are sent. */
export type Pieces = { length: number; read(): Iterable<Buffer> }

/** Header names are lower case, and only those of the allow-list are here. */
export type AnswerHead = { status: number; headers: Record<string, string> }
export type JsonAnswer = AnswerHead & { json: unknown }
export type SendJson = (call: HttpCall) => Promise<JsonAnswer>
export type SseEvent = { event?: string | undefined; data: string }

export type JsonCapability<Request, Result> = {
  build: (request: Request, target: ModelTarget) => HttpCall
  read: (answer: JsonAnswer, request: Request, target: ModelTarget) => Result
}
type BytesCapability<Request, Format> = {
  build: (request: Request, target: ModelTarget) => HttpCall
  read: (head: AnswerHead, request: Request) => Format
}
export type ChatCapability = JsonCapability<ChatRequest, ChatResult> & {
  reader: (request: ChatRequest, target: ModelTarget) => ChatReader
}

// Chat

export type ChatRequest = {
  /** The caller's body in OpenAI's shape. Fields that would steer our account are dropped here. */
  body: Fields
  stream: boolean
  /** Fields of our own, such as `plugins`; they win and are not dropped. */
  extra?: Fields | undefined
  /** Where a format wants a limit and the body has none: all that the model can say. */
  wholeOutput?: true | undefined
  /** An opaque hash of the account, sent in place of the caller's `user`. */
  user?: string | undefined
  /** No choice may be longer than the account can pay for, whatever the body says. */
  mostTokens?: number | undefined
  /** The names that the answer carries, whatever the upstream called them. */
  ours: OurNames
  /** The same request as the caller wrote it, for upstreams that speak its dialect. */
  native?: NativeRequest | undefined
}

export type NativeRequest = {
  dialect: 'messages' | 'responses'
  /** Without what would steer our account; model and user are put in for each upstream. */
  body: Fields
  headers: Record<string, string>
  /** It has what cannot be said in any other dialect. */
  only: boolean
  /** The names that a native answer carries. */
  ours: { id: string; model: string }
}
export type OurNames = { id: string; model: string; created: number }

export type ChatResult = {
  /** A `chat.completion` ready to be sent: our names, OpenAI's usage, no price, no provider. */
  body: Fields
  /** The first choice's text, or '' when there is none. */
  text: string
  finishReason: string | null
  usage: UsageReading
  generationId?: string | undefined
  /** What all choices are made of: the estimate when usage is absent. */
  outputBytes: number
  pictures: number
  /** The answer in the dialect of a native request, with our names, if it was answered in it. */
  native?: Fields | undefined
}

/** One per stream. Takes events, gives ready JSON texts of `chat.completion.chunk`. */
export type ChatReader = {
  /** Throws a UpstreamError on an error event and on an event that is not of this format. */
  read(event: SseEvent): readonly string[]
  /** Throws a UpstreamError if the stream ended before its proper end. */
  close(): void
  /** True once nothing more can come: the connection may be released. */
  readonly done: boolean
  readonly usage: UsageReading
  readonly finishReason: string | null
  /** How often a reason to finish was told so far: whoever is given such a chunk knows the end. */
  readonly finishes: number
  /** The choices that are finished, by their index. */
  readonly finished: ReadonlySet<number>
  readonly generationId: string | undefined
  /** Bytes of text, reasoning and tool arguments so far: the estimate when usage is absent. */
  readonly outputBytes: number
  /** Pictures so far, for the same reason. */
  readonly pictures: number
  /** What it gives are not chunks but ready events of the dialect of a native request. */
  readonly native?: boolean
  /** Of such a one: the events that end an answer which has become too long. */
  cutShort?(): readonly string[]
}

// Embeddings

export type EmbeddingsRequest = { body: Fields; user?: string | undefined; inputs: number }
export type EmbeddingsResult = {
  /** One vector per input, in the order of the inputs, all of one length. */
  vectors: Float32Array[]
  usage: UsageReading
  generationId?: string | undefined
}

// Audio

export type TranscriptionRequest = {
  audio: Buffer
  /** `wav`, `mp3`, … */
  format: string
  language?: string | undefined
  responseFormat: 'json' | 'verbose_json'
  /** Other fields of the caller (`temperature`, `prompt`, `timestamp_granularities`). */
  extra?: Fields | undefined
}
export type TranscriptionResult = {
  text: string
  /** As the upstream reports it: an ISO code or an English name. */
  language?: string | undefined
  durationS?: number | undefined
  /** The verbose members (`task`, `segments`, `words`), as they came. */
  verbose: Fields
  usage: UsageReading
  generationId?: string | undefined
}

export type SpeechRequest = {
  input: string
  voice?: string | undefined
  responseFormat: 'mp3' | 'pcm'
  speed?: number | undefined
  maxBytes: number
  extra?: Fields | undefined
}
export type SpeechFormat = { mediaType: string; generationId?: string | undefined }

// Images

export type ImageRequest = {
  prompt: string
  n: number
  /** Other fields of the caller (`size`, `quality`, `seed`…), passed on as they are. */
  extra: Fields
  user?: string | undefined
  /** For a model that draws in conversation: each picture, with all that is said about it. */
  mostTokens?: number | undefined
}
export type ImageResult = {
  images: { b64Json: string; mediaType: string; revisedPrompt?: string | undefined }[]
  usage: UsageReading
  generationId?: string | undefined
}
