import { words } from '../../../words/language.tsx'

export const adjustmentsWords = words({
  sw: {
    title: 'Marekebisho yanayosubiri',
    lead: 'Marekebisho makubwa ya salio husubiri mmiliki wa pili, asiye yule aliyeyaomba.',
    none: 'Hakuna marekebisho yanayosubiri',
    askedBy: (who: string, when: string) => `${who}, ${when}`,
    approve: 'Idhinisha',
    refuse: 'Kataa',
    approveTitle: (amount: string) => `Idhinisha krediti ${amount}?`,
    approveWhy: 'Salio la mteja litabadilika mara moja.',
    refuseTitle: (amount: string) => `Kataa krediti ${amount}?`,
    refuseWhy: 'Salio la mteja halitabadilika.',
    posted: (balance: string) => `Imefanyika. Salio la mteja sasa ni krediti ${balance}.`,
    refused: 'Yamekataliwa. Salio halikubadilika.',
    own: 'Uliyaomba wewe: mwingine ndiye ataamua.',
  },
  en: {
    title: 'Adjustments that wait',
    lead: 'Large adjustments of balances wait for an owner other than whoever asked for them.',
    none: 'No adjustment waits',
    askedBy: (who, when) => `${who}, ${when}`,
    approve: 'Approve',
    refuse: 'Turn down',
    approveTitle: (amount) => `Approve ${amount} credits?`,
    approveWhy: 'The customer’s balance changes at once.',
    refuseTitle: (amount) => `Turn down ${amount} credits?`,
    refuseWhy: 'The customer’s balance does not change.',
    posted: (balance) => `Done. The customer’s balance is ${balance} credits now.`,
    refused: 'Turned down. The balance did not change.',
    own: 'You asked for it: somebody else decides.',
  },
})
