import type { Fields } from '../../lib/json.ts'
import type { CatalogReading } from '../../catalog/model-record.ts'
import type { Passing } from './passing.ts'
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
 * A provider is pure: it builds HTTP calls and reads answers. It opens no connection and holds no
 * key. A missing capability means that it cannot do it.
 */
export type Provider = {
  /** The headers with the key. Nothing else of a provider sees it. */
  credential(key: string): Record<string, string>
  chat?: ChatCapability
  /** The same provider, for an upstream configured as speaking Responses. */
  withResponses?: Provider
  /** Sends requests of a dialect unchanged, if the model there accepts them. */
  natively?(dialect: NativeRequest['dialect'], target: ModelTarget): ChatCapability | undefined
  /** Counts the tokens of such a request, free. */
  count?: OfCallers & JsonCapability<ChatRequest, { tokens: number }>
  embeddings?: OfCallers & JsonCapability<EmbeddingsRequest, EmbeddingsResult>
  transcription?: OfCallers & JsonCapability<TranscriptionRequest, TranscriptionResult>
  speech?: OfCallers & BytesCapability<SpeechRequest, SpeechFormat>
  image?: OfCallers & JsonCapability<ImageRequest, ImageResult>
  video?: {
    start: OfCallers & JsonCapability<VideoRequest, VideoJobRef>
    status: JsonCapability<VideoJobRef, VideoStatus>
    content: BytesCapability<VideoContentRequest, VideoContentFormat>
  }
  /** Reads the whole catalog. Such an upstream is synced unless configured otherwise. */
  models?: (send: SendJson) => Promise<CatalogReading>
  /** Turns PDFs into text for any model, when `plugins` says so. */
  parsesFiles?: true
  /** The fields by which it is told that whoever runs the model may keep nothing of a chat. */
  keepsNothing?: Fields
  /** A cheap call that shows that the key works. */
  probe?: () => HttpCall
  usageIn: UsageReader
  /** What an error status, or an error inside a 200, means. */
  classify(error: StatusError): ErrorCategory
  /** The message of an error, as it is written there. */
  errorMessage(error: StatusError): string | undefined
  /** The field that an error names in a member of its own. */
  errorField?(error: StatusError): string | undefined
}

/** A model at an upstream. */
export type ModelTarget = {
  upstream: string
  model: string
  maxOutputTokens?: number | undefined
  supportedParameters?: readonly string[] | undefined
}

export type Timeouts = { connectMs: number; firstByteMs: number; idleMs: number; totalMs: number }

export type HttpCall = {
  method: 'GET' | 'POST'
  /** Appended to the base URL; begins with a slash. */
  path: string
  headers?: Record<string, string> | undefined
  json?: Fields | undefined
  body?: Pieces | undefined
  expects: 'json' | 'sse' | 'bytes'
  timeouts?: Partial<Timeouts> | undefined
  /** Of the whole body (json, bytes). */
  maxBytes?: number | undefined
  /** Of one event (sse). */
  maxEventBytes?: number | undefined
  /** Too large is the caller's failure (413), not the upstream's. */
  overflow?: 'caller' | undefined
  /** A 400 stays one: clients of this dialect know from its words what to change. */
  keeps400?: boolean | undefined
  /** Statuses that mean that the content is gone for good. */
  gone?: readonly number[] | undefined
  /** False: not sent again when the first try may have been accepted. */
  repeatable?: false | undefined
}

/** A large body that is not copied: its bytes are made as they are sent. */
export type Pieces = { length: number; read(): Iterable<Buffer> }

/** Lower-case names, only those of the allow-list. */
export type AnswerHead = { status: number; headers: Record<string, string> }
export type JsonAnswer = AnswerHead & { json: unknown }
export type SendJson = (call: HttpCall) => Promise<JsonAnswer>
export type SseEvent = { event?: string | undefined; data: string }

/** Its requests have fields of callers: it is given only those that pass. */
export type OfCallers = { passing: Passing }

export type JsonCapability<Request, Result> = {
  build: (request: Request, target: ModelTarget) => HttpCall
  read: (answer: JsonAnswer, request: Request, target: ModelTarget) => Result
  /** Where it is not that of the provider. */
  usageIn?: UsageReader
}
/** What an answer reports of its use, whatever else is in it. */
type UsageReader = (json: unknown) => UsageReading

type BytesCapability<Request, Format> = {
  build: (request: Request, target: ModelTarget) => HttpCall
  read: (head: AnswerHead, request: Request) => Format
}
export type ChatCapability = OfCallers &
  JsonCapability<ChatRequest, ChatResult> & {
    reader: (request: ChatRequest, target: ModelTarget) => ChatReader
    /** The field that names the conversation, so that what is cached of it is found. */
    session?: 'session_id' | 'prompt_cache_key'
  }

// Chat

export type ChatRequest = {
  /** In OpenAI's shape. */
  body: Fields
  /** Fields of the caller's own dialect that have no place in a chat. */
  unread?: readonly string[] | undefined
  stream: boolean
  /** Our own fields, such as `plugins`; they win and are not dropped. */
  extra?: Fields | undefined
  /** Where a format requires a limit and the body has none: the model's maximum. */
  wholeOutput?: true | undefined
  /** A hash of the account, in place of the caller's `user`. */
  user?: string | undefined
  /** A hash of the account and of what it calls the conversation. */
  session?: string | undefined
  /** Only for upstreams that can keep nothing of it: they are told so. */
  keepsNothing?: true | undefined
  /** No choice may be longer than the account can pay for. */
  mostTokens?: number | undefined
  /** The names in the answer, whatever the upstream's are. */
  ours: OurNames
  /** The request as written, for upstreams that speak its dialect. */
  native?: NativeRequest | undefined
}

export type NativeRequest = {
  dialect: 'messages' | 'responses'
  /** Model and user are set for each upstream. */
  body: Fields
  headers: Record<string, string>
  /** What was left out of it before. */
  leftOut?: readonly string[] | undefined
  /** It cannot be expressed in another dialect. */
  only: boolean
  ours: { id: string; model: string }
}
export type OurNames = { id: string; model: string; created: number }

export type ChatResult = {
  /** A `chat.completion` without prices, provider and usage. */
  body: Fields
  /** Of the first choice; '' if none. */
  text: string
  finishReason: string | null
  usage: UsageReading
  generationId?: string | undefined
  /** Of all choices: for the estimate when usage is absent. */
  outputBytes: number
  pictures: number
  /** The answer in its own dialect with our names, if it was answered so. */
  native?: Fields | undefined
}

/** One for each stream: takes events, returns JSON texts of `chat.completion.chunk`. */
export type ChatReader = {
  /** Throws an UpstreamError on an error event or a wrong format. */
  read(event: SseEvent): readonly string[]
  /** Throws an UpstreamError if the stream ended too early. */
  close(): void
  /** Nothing more can come: the connection may be released. */
  readonly done: boolean
  readonly usage: UsageReading
  readonly finishReason: string | null
  /** How many finish reasons so far. A chunk with one tells the end. */
  readonly finishes: number
  /** Indexes of finished choices. */
  readonly finished: ReadonlySet<number>
  readonly generationId: string | undefined
  /** Bytes of text, reasoning and arguments so far: for the estimate when usage is absent. */
  readonly outputBytes: number
  readonly pictures: number
  /** It returns events of a native dialect, not chunks. */
  readonly native?: boolean
  /** Its last events for an answer that became too long. */
  cutShort?(): readonly string[]
}

export type EmbeddingsRequest = { body: Fields; user?: string | undefined; inputs: number }
export type EmbeddingsResult = {
  /** In the order of the inputs, all of one length. */
  vectors: Float32Array[]
  usage: UsageReading
  generationId?: string | undefined
}

export type TranscriptionRequest = {
  audio: Buffer
  /** `wav`, `mp3`, … */
  format: string
  language?: string | undefined
  responseFormat: 'json' | 'verbose_json'
  /** The caller's other fields. */
  extra?: Fields | undefined
}
export type TranscriptionResult = {
  text: string
  /** An ISO code or an English name, as reported. */
  language?: string | undefined
  durationS?: number | undefined
  /** `task`, `segments`, `words`, as they came. */
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
  /** The caller's other fields. */
  extra: Fields
  user?: string | undefined
  /** For a model that draws in a chat: each picture and the text around it. */
  mostTokens?: number | undefined
}
export type ImageResult = {
  images: { b64Json: string; mediaType: string; revisedPrompt?: string | undefined }[]
  usage: UsageReading
  generationId?: string | undefined
}
