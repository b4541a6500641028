import { words } from '../../../words/language.tsx'

/** Asking a model at our own cost. */
export const tryWords = words({
  sw: {
    action: 'Jaribu',
    title: (id: string) => `Jaribu ${id}`,
    why: 'Swali moja fupi kwa gharama yetu. Hakuna mteja anayetozwa. Swali na jibu havihifadhiwi.',
    question: 'Swali',
    example: 'Habari! Jitambulishe kwa sentensi moja.',
    send: 'Uliza',
    silent: '(Hakuna jibu)',
    upstream: 'Mtoa modeli',
    latency: 'Muda',
    seconds: (count: string) => `sekunde ${count}`,
    cost: 'Gharama yetu',
    bases: { reported: 'imetajwa', list: 'kwa bei ya orodha', estimated: 'makadirio' },
  },
  en: {
    action: 'Try',
    title: (id) => `Try ${id}`,
    why: 'One short question at our own cost. No customer is charged. Question and answer are not kept.',
    question: 'Question',
    example: 'Hello! Introduce yourself in one sentence.',
    send: 'Ask',
    silent: '(No answer)',
    upstream: 'Upstream',
    latency: 'Duration',
    seconds: (count) => `${count} s`,
    cost: 'Our cost',
    bases: { reported: 'reported', list: 'by the price list', estimated: 'estimated' },
  },
})
