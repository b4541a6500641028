import { words } from '../../../words/language.tsx'

export const overviewWords = words({
  sw: { title: 'Muhtasari' },
  en: { title: 'Overview' },
})
