import { words } from '../../../words/language.tsx'

export const statementWords = words({
  sw: {
    title: 'Taarifa ya mwezi',
    lead: (zone: string) =>
      `Krediti zote zilizoingia na kutoka kwenye salio lako. Siku huhesabiwa kwa saa za ${zone}.`,
    month: 'Mwezi',
    opening: 'Salio la mwanzo',
    change: 'Tofauti',
    closing: 'Salio la mwisho',
    none: 'Hakuna kilichoingia wala kutoka mwezi huu',
    after: 'Salio',
    print: 'Chapisha',
    types: {
      signup_bonus: 'Zawadi ya kujiunga',
      topup: 'Umeongeza salio',
      usage: 'Matumizi',
      refund: 'Umerejeshewa',
      adjustment: 'Marekebisho',
    },
    all: 'Aina zote',
    type: 'Aina',
  },
  en: {
    title: 'Monthly statement',
    lead: (zone) =>
      `All credits that came into your balance and left it. Days are those of ${zone}.`,
    month: 'Month',
    opening: 'Opening balance',
    change: 'Change',
    closing: 'Closing balance',
    none: 'Nothing came or left in this month',
    after: 'Balance',
    print: 'Print',
    types: {
      signup_bonus: 'Welcome gift',
      topup: 'Top-up',
      usage: 'Usage',
      refund: 'Refund',
      adjustment: 'Adjustment',
    },
    all: 'All types',
    type: 'Type',
  },
})
