import { words } from '../../../words/language.tsx'

export const noticesWords = words({
  sw: { title: 'Taarifa' },
  en: { title: 'Notices' },
})
