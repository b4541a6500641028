import { words } from '../../../words/language.tsx'

export const requestsWords = words({
  sw: {
    title: 'Maombi yanayosubiri',
    lead: 'Makubwa husubiri mmiliki wa pili: marekebisho makubwa ya salio, bei, na kila kitu kwenye akaunti za waendeshaji. Ombi huisha baada ya siku saba.',
    none: 'Hakuna ombi linalosubiri',
    askedBy: (who: string, when: string) => `${who}, ${when}`,
    margin: (margin: string) => `Kizidishi: ${margin}`,
    usual: 'cha kawaida',
    approve: 'Idhinisha',
    refuse: 'Kataa',
    takeBack: 'Ondoa ombi',
    approveTitle: (what: string) => `Idhinisha: ${what}?`,
    approveWhy: 'Litafanyika mara moja.',
    refuseTitle: (what: string) => `Kataa: ${what}?`,
    refuseWhy: 'Hakuna kitakachobadilika.',
    done: 'Limefanyika.',
    refused: 'Limekataliwa. Hakuna kilichobadilika.',
    own: 'Uliomba wewe: mwingine ndiye ataamua.',
    impossible:
      'Haliwezi kufanyika sasa: salio halitoshi, au bei zimebadilika tangu liombwe. Bado linasubiri.',
  },
  en: {
    title: 'Requests that wait',
    lead: 'What is large waits for a second owner: large adjustments of balances, prices, and everything about the accounts of operators. After seven days a request lapses.',
    none: 'No request waits',
    askedBy: (who, when) => `${who}, ${when}`,
    margin: (margin) => `Multiplier: ${margin}`,
    usual: 'the usual one',
    approve: 'Approve',
    refuse: 'Turn down',
    takeBack: 'Take back',
    approveTitle: (what) => `Approve: ${what}?`,
    approveWhy: 'It is done at once.',
    refuseTitle: (what) => `Turn down: ${what}?`,
    refuseWhy: 'Nothing changes.',
    done: 'It is done.',
    refused: 'Turned down. Nothing has changed.',
    own: 'You asked for it: somebody else decides.',
    impossible:
      'It cannot be done now: the balance is too low, or the prices are others than those that were asked for. It still waits.',
  },
})
