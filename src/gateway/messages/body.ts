/** A Messages request. Unlisted fields pass to models that know them and never fail a request. */
export type MessagesBody = {
  model: string
  messages: unknown[]
  max_tokens: number
  system?: unknown
  stream?: boolean | null | undefined
  temperature?: number | null | undefined
  top_p?: number | null | undefined
  top_k?: number | null | undefined
  stop_sequences?: string[] | null | undefined
  tools?: unknown[] | null | undefined
  tool_choice?: unknown
  thinking?: unknown
  output_config?: unknown
  fallbacks?: Fallback[] | 'default' | null | undefined
}

/** Another model, with what is different for it. */
export type Fallback = {
  model: string
  max_tokens?: number | null | undefined
  thinking?: unknown
  output_config?: unknown
}

/** What reading a request must know of the model. */
export type ReadingModel = {
  id: string
  maxOutputTokens?: number | undefined
  outputModalities: readonly string[]
  supportedParameters: readonly string[]
  /** The upstream accepts cache marks. */
  caches: boolean
  /** Its thinking has signatures of the provider of this dialect. */
  signs: boolean
  /** An upstream accepts the request as it is. */
  native: boolean
}
