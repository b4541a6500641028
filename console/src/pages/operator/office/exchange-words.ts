import { words } from '../../../words/language.tsx'

/** The exchange rate of the dollar. */
export const exchangeWords = words({
  sw: {
    title: 'Dola kwa shilingi',
    lead: 'Hutumika kuhesabu faida pekee; bei za wateja hazibadiliki. Kiwango huendelea hadi kinachofuata.',
    none: 'Bado hujaweka kiwango: kinachotumika ni kile cha mipangilio ya seva.',
    day: 'Kuanzia siku',
    rate: 'TZS kwa USD 1',
    setAt: 'Kiliwekwa',
    set: 'Weka kiwango',
    setTitle: 'Weka kiwango cha dola',
    setWhy: 'Faida ya siku hiyo na zinazofuata itahesabiwa upya kwa kiwango hiki.',
    wrong: 'Andika namba kubwa kuliko 0.',
    done: 'Kiwango kimehifadhiwa.',
  },
  en: {
    title: 'Dollars in shillings',
    lead: 'Used for the margin alone; prices of customers do not change. A rate holds until the next one.',
    none: 'No rate is set: the one of the server’s settings is used.',
    day: 'From the day',
    rate: 'TZS for USD 1',
    setAt: 'Set',
    set: 'Set a rate',
    setTitle: 'Set the rate of the dollar',
    setWhy: 'The margin of that day and the following ones is worked out anew with it.',
    wrong: 'Enter a number above 0.',
    done: 'The rate is saved.',
  },
})
