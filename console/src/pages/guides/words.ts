import { words } from '../../words/language.tsx'

export const guideWords = words({
  sw: {
    title: 'Miongozo',
    lead: 'Unganisha programu yako na Mlango. SDK uliyonayo inafanya kazi: badilisha anwani na ufunguo.',
    reference: 'Rejea kamili ya API',
  },
  en: {
    title: 'Guides',
    lead: 'Connect your program to Mlango. The SDK you have works: change the address and the key.',
    reference: 'The whole API reference',
  },
})
