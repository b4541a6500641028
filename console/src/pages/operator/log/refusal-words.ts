import { words } from '../../../words/language.tsx'

export const refusalWords = words({
  sw: {
    title: 'Waliokataliwa',
    lead: 'Majaribio ya kufanya yasiyoruhusiwa, kwa akaunti, saa na sababu.',
    none: 'Hakuna aliyekataliwa',
    operator: 'Mwendeshaji',
    times: (count: string) => (count === '1' ? 'mara moja' : `mara ${count}`),
    whys: {
      no_operator: 'Si mwendeshaji',
      api_key: 'Ametumia ufunguo wa API',
      foreign_host: 'Anwani nyingine ya tovuti',
      foreign_network: 'Mtandao usioruhusiwa',
      role: 'Jukumu halitoshi',
      second_factor: 'Bila hatua ya pili',
      rule: 'Kanuni imemzuia',
    },
  },
  en: {
    title: 'Refused',
    lead: 'Attempts to do what is not allowed, by account, hour and reason.',
    none: 'Nobody was refused',
    operator: 'Operator',
    times: (count) => (count === '1' ? 'once' : `${count} times`),
    whys: {
      no_operator: 'No operator',
      api_key: 'With an API key',
      foreign_host: 'At another host',
      foreign_network: 'From a network that is not allowed',
      role: 'The role is not enough',
      second_factor: 'Without the second factor',
      rule: 'Against a rule',
    },
  },
})
