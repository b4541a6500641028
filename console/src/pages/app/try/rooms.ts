import type { IconName } from '../../../parts/icon.tsx'

/** The pages of the playground, in the order of their tabs. */
export const ROOMS = [
  { name: 'chat', icon: 'chat' },
  { name: 'voice', icon: 'mic' },
  { name: 'image', icon: 'picture' },
  { name: 'document', icon: 'file' },
  { name: 'video', icon: 'video' },
  { name: 'embeddings', icon: 'bars' },
] as const satisfies { name: string; icon: IconName }[]

export type Room = (typeof ROOMS)[number]['name']
