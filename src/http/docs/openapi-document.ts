/** As much of the document as is read here; it is plain JSON. */
export type OpenApi = {
  info: { title: string; version: string; description?: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Reply> }
}
export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, unknown>[]
  parameters?: {
    name: string
    in: string
    description?: string
    required?: boolean
    schema: Schema
  }[]
  requestBody?: { content: Content }
  responses: Record<string, Reply | { $ref: string }>
}
export type Reply = {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Content
}
type Content = Record<string, { schema: Schema; example?: unknown }>
export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  format?: string
  example?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}

/** The answer itself, where the document has it among its components. */
export function replyOf(document: OpenApi, reply: Reply | { $ref: string }): Reply {
  return '$ref' in reply ? document.components.responses[reply.$ref.split('/').at(-1)!]! : reply
}
