import { words } from '../../../words/language.tsx'

export const keysWords = words({
  sw: { title: 'Funguo za API' },
  en: { title: 'API keys' },
})
