import { words } from '../../../words/language.tsx'

export const activityWords = words({
  sw: { title: 'Matumizi' },
  en: { title: 'Activity' },
})
