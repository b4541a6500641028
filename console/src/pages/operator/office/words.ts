import { words } from '../../../words/language.tsx'

export const officeWords = words({
  sw: {
    title: 'Ofisi',
    webhooks: 'Webhook',
    operators: 'Waendeshaji',
    operatorsLead: 'Huongezwa na kuondolewa kwa amri kwenye seva, si hapa:',
    name: 'Jina',
    role: 'Jukumu',
    authenticator: 'Programu ya uthibitishaji',
    has: 'Imeunganishwa',
    hasNot: 'Bado',
    since: 'Tangu',
  },
  en: {
    title: 'Office',
    webhooks: 'Webhooks',
    operators: 'Operators',
    operatorsLead: 'They are added and removed by commands on the server, not here:',
    name: 'Name',
    role: 'Role',
    authenticator: 'Authenticator app',
    has: 'Connected',
    hasNot: 'Not yet',
    since: 'Since',
  },
})
