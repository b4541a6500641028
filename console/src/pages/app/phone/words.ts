import { words } from '../../../words/language.tsx'

export const phoneWords = words({
  sw: {
    label: 'Namba ya simu',
    hint: 'Namba ya M-Pesa, Mixx by Yas, Airtel Money au HaloPesa.',
    password: 'Nenosiri lako (si lazima)',
    passwordHint:
      'Ukiliandika, namba itatumika kuingia mara moja; bila hivyo, baada ya siku saba. Kwa malipo inatumika mara moja.',
    passwordWrong: 'Nenosiri si sahihi.',
    send: 'Nitumie namba ya uthibitisho',
    sent: (where: string) => `Tumetuma tarakimu sita kwa ${where} kwa SMS.`,
    code: 'Namba ya uthibitisho',
    codeHint: 'Inatumwa yenyewe ukimaliza tarakimu ya sita.',
    other: 'Badilisha namba',
    resend: 'Tuma tena',
    taken: 'Namba hii inatumiwa na akaunti nyingine.',
    wrong: 'Andika namba ya simu kama 0712 345 678.',
  },
  en: {
    label: 'Phone number',
    hint: 'The number of M-Pesa, Mixx by Yas, Airtel Money or HaloPesa.',
    password: 'Your password (optional)',
    passwordHint:
      'With it the number signs you in at once; without, after seven days. For payments it is good at once.',
    passwordWrong: 'The password is wrong.',
    send: 'Send me a code',
    sent: (where) => `We sent six digits to ${where} by SMS.`,
    code: 'Code',
    codeHint: 'It is sent by itself with the sixth digit.',
    other: 'Change the number',
    resend: 'Send again',
    taken: 'Another account uses this number.',
    wrong: 'Write a phone number such as 0712 345 678.',
  },
})
