import { words } from '../../../words/language.tsx'

export const upstreamsWords = words({
  sw: {
    title: 'Watoa modeli',
    lead: 'Wanaojibu maombi ya wateja, na hali yao kwa jinsi seva iliyojibu inavyoiona.',
    good: 'Kinafanya kazi',
    troubled: 'Kina matatizo',
    priority: 'Kipaumbele',
    weight: 'Uzito',
    margin: 'Kizidishi cha bei',
    since: (age: string) => `tangu ${age}`,
    whole: 'Yote',
  },
  en: {
    title: 'Upstreams',
    lead: 'Those who answer the calls of customers, as the process that answered sees them.',
    good: 'Works',
    troubled: 'In trouble',
    priority: 'Priority',
    weight: 'Weight',
    margin: 'Price multiplier',
    since: (age) => `since ${age}`,
    whole: 'All of it',
  },
})
