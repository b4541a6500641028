import { words } from '../../../words/language.tsx'

export const tryWords = words({
  sw: { title: 'Jaribu' },
  en: { title: 'Playground' },
})
