/** A multipart form, read whole. A field may come more than once. */
export type Form = {
  fields: ReadonlyMap<string, readonly string[]>
  file: { name: string; filename: string; mimetype: string; bytes: Buffer } | undefined
}
