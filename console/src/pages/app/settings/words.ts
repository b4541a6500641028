import { words } from '../../../words/language.tsx'

export const settingsWords = words({
  sw: { title: 'Mipangilio' },
  en: { title: 'Settings' },
})
