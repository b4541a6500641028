import { words } from '../../../words/language.tsx'

export const settingsPasskeyWords = words({
  sw: {
    title: 'Funguo za siri (passkey)',
    lead: 'Thibitisha kwa alama ya kidole, uso au PIN ya kifaa chako. Ukurasa bandia hauwezi kuiba ufunguo wa siri.',
    add: 'Ongeza ufunguo wa siri',
    added: 'Ufunguo wa siri umeongezwa.',
    name: 'Jina la ufunguo',
    nameHint: 'Kwa mfano: Simu yangu.',
    newName: 'Kifaa changu',
    made: (when: string) => `Uliongezwa ${when}`,
    used: (when: string) => `Ulitumika mwisho ${when}`,
    backedUp: 'Una nakala',
    rename: 'Badilisha jina',
    remove: 'Ondoa',
    removed: (name: string) => `Ufunguo wa siri “${name}” umeondolewa.`,
    removeWhy: 'Ufunguo huu hautafanya kazi tena kwenye akaunti hii.',
    removeLastWhy:
      'Huu ni wa mwisho: hatua ya pili itazimwa, na akaunti italindwa na nenosiri pekee.',
    tooMany: 'Akaunti inaweza kuwa na funguo za siri kumi tu. Ondoa moja kwanza.',
  },
  en: {
    title: 'Passkeys',
    lead: 'Confirm with your fingerprint, your face or the PIN of your device. No false page can steal a passkey.',
    add: 'Add a passkey',
    added: 'The passkey was added.',
    name: 'Name of the passkey',
    nameHint: 'For example: My phone.',
    newName: 'My device',
    made: (when) => `Added ${when}`,
    used: (when) => `Last used ${when}`,
    backedUp: 'Backed up',
    rename: 'Rename',
    remove: 'Remove',
    removed: (name) => `The passkey “${name}” was removed.`,
    removeWhy: 'It will no longer work for this account.',
    removeLastWhy:
      'It is the last one: the second factor is turned off, and the account is protected by the password alone.',
    tooMany: 'An account can have ten passkeys. Remove one first.',
  },
})
