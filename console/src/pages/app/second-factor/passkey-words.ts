import { words } from '../../../words/language.tsx'

export const passkeyWords = words({
  sw: {
    use: 'Tumia ufunguo wa siri',
    or: 'Au:',
    kinds: {
      passkey_unsupported:
        'Kivinjari hiki hakiwezi kutumia funguo za siri (passkey). Tumia kingine, au njia nyingine.',
      passkey_known: 'Kifaa hiki tayari kina ufunguo wa siri wa akaunti hii.',
      passkey_stopped: 'Ufunguo wa siri haukutumika. Jaribu tena, au chagua njia nyingine.',
      passkey_refused: 'Ufunguo huo wa siri haukukubaliwa. Jaribu tena, au chagua njia nyingine.',
      passkey_late: 'Muda umepita. Anza tena.',
      passkey_address:
        'Funguo za siri zinahitaji anwani ya https yenye jina. Fungua huduma kwa anwani hiyo, au kwa localhost.',
    },
  },
  en: {
    use: 'Use a passkey',
    or: 'Or:',
    kinds: {
      passkey_unsupported: 'This browser cannot use passkeys. Use another browser, or another way.',
      passkey_known: 'This device has a passkey of this account already.',
      passkey_stopped: 'No passkey was used. Try again, or choose another way.',
      passkey_refused: 'That passkey was not accepted. Try again, or choose another way.',
      passkey_late: 'That took too long. Please begin again.',
      passkey_address:
        'Passkeys need an https address with a name. Open the service by it, or on localhost.',
    },
  },
})
