import type { Model } from '../../../../catalog/models.ts'

export type FileKind = 'document' | 'vision' | 'video'

/** Each kind of file has a route, a limit, and models that can take it in. */
export const FILE_KINDS = {
  document: { route: 'POST /v1/documents/analyze', mostMiB: 15, input: 'file', tokens: 2_000 },
  vision: { route: 'POST /v1/vision/analyze', mostMiB: 10, input: 'image', tokens: 1_000 },
  video: { route: 'POST /v1/video/analyze', mostMiB: 8, input: 'video', tokens: 3_000 },
} as const

const TYPES: Record<string, FileKind> = {
  'application/pdf': 'document',
  'image/jpeg': 'vision',
  'image/png': 'vision',
  'image/webp': 'vision',
  'image/gif': 'vision',
  'video/mp4': 'video',
  'video/mpeg': 'video',
  'video/quicktime': 'video',
  'video/webm': 'video',
}

export const FILE_TYPES = Object.keys(TYPES).join(',')

export const kindOf = (file: Blob): FileKind | undefined => TYPES[file.type]

export function reads(kind: FileKind): (model: Model) => boolean {
  return ({ input_modalities: inputs, output_modalities: outputs }) =>
    outputs.includes('text') && inputs.includes(FILE_KINDS[kind].input)
}

/** A file name that is safe in a shell command and in a header. */
export function plainName(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}._-]/gu, '-').slice(-60)
  return plain.replace(/^[-.]+/, '') || 'faili'
}
