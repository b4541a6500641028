import { words } from '../../words/language.tsx'

export const statusWords = words({
  sw: {
    title: 'Hali ya huduma',
    up: 'Kila kitu kinafanya kazi',
    degraded: 'Baadhi ya modeli zina tatizo',
    down: 'Modeli hazipatikani kwa sasa',
    say: 'Ombi lililoshindikana halitozwi, kwa hiyo tatizo letu si gharama yako.',
    upstreams: (healthy: string, total: string) =>
      `Watoa modeli ${healthy} kati ya ${total} wanafanya kazi`,
    now: 'Sasa hivi',
    checked: (time: string) => `Imeangaliwa ${time}`,
    day: 'Saa 24 zilizopita',
    quarter: 'Siku 90 zilizopita',
    state: {
      up: 'Ilifanya kazi',
      degraded: 'Tatizo kiasi',
      down: 'Haikupatikana',
      unknown: 'Hakuna kumbukumbu',
    },
    note: 'Taarifa ya mwendeshaji',
    percent: (value: string) => `${value} ya muda ilifanya kazi`,
    zone: 'Siku zinahesabiwa kwa saa za Dar es Salaam.',
  },
  en: {
    title: 'Service status',
    up: 'Everything works',
    degraded: 'Some models have trouble',
    down: 'Models are not available now',
    say: 'A call that fails is not charged, so our trouble is not your cost.',
    upstreams: (healthy, total) => `${healthy} of ${total} model providers work`,
    now: 'Now',
    checked: (time) => `Checked at ${time}`,
    day: 'The last 24 hours',
    quarter: 'The last 90 days',
    state: { up: 'Worked', degraded: 'Partly', down: 'Not available', unknown: 'Not recorded' },
    note: 'A note of the operator',
    percent: (value) => `Worked ${value} of the time`,
    zone: 'Days are those of Dar es Salaam.',
  },
})
