import { words } from '../../../words/language.tsx'

export const billingWords = words({
  sw: { title: 'Malipo' },
  en: { title: 'Billing' },
})
