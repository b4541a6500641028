import { useStored } from '../../../client/device-storage.ts'
import type { IconName } from '../../../parts/icon.tsx'

/** The pages of the playground, in the order of their tabs. */
export const TABS = [
  { name: 'chat', icon: 'chat' },
  { name: 'voice', icon: 'mic' },
  { name: 'image', icon: 'picture' },
  { name: 'document', icon: 'file' },
  { name: 'video', icon: 'video' },
  { name: 'embeddings', icon: 'bars' },
] as const satisfies { name: string; icon: IconName }[]

export type PlaygroundTab = (typeof TABS)[number]['name']

/** Where `/app/try` leads to. */
export const useLastTab = () => useStored<PlaygroundTab>('tab', 'chat')
