/** The part of the build's manifest that is used here. */
type Manifest = Record<string, { file: string; css?: string[]; imports?: string[] }>

/** HTML by path and language: `/models sw`. */
export type Prerender = (manifest: Manifest) => Promise<Record<string, string>>
