/** A Messages request. What is not listed is known to some model, or to none: it never fails one. */
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
}

/** What must be known of the model to put a request in its words. */
export type ReadingModel = {
  id: string
  maxOutputTokens?: number | undefined
  outputModalities: readonly string[]
  supportedParameters: readonly string[]
  /** Marks of what to cache reach the upstream, which knows them. */
  caches: boolean
  /** Its thinking bears signatures of the provider whose dialect this is. */
  signs: boolean
  /** An upstream of it takes the request as it is. */
  native: boolean
}
