import { words } from '../../../words/language.tsx'

export const secondFactorWords = words({
  sw: {
    why: 'Ili kulinda akaunti yako, thibitisha kwa hatua ya pili.',
    whyPassword: 'Ili kulinda akaunti yako, andika nenosiri lako.',
    password: 'Nenosiri lako',
    passwordWrong: 'Nenosiri si sahihi.',
    enterAgain: 'Toka na uingie tena, kisha fanya mabadiliko haya ndani ya dakika kumi.',
    totp: 'Tarakimu sita za programu yako ya uthibitishaji, au namba ya dharura',
    email: 'Tarakimu sita tulizotuma kwa barua pepe yako',
    phone: 'Tarakimu sita tulizotuma kwa simu yako',
    passkey: 'Namba ya dharura',
  },
  en: {
    why: 'To protect your account, confirm with your second factor.',
    whyPassword: 'To protect your account, enter your password.',
    password: 'Your password',
    passwordWrong: 'The password is wrong.',
    enterAgain: 'Sign out and in again, then make this change within ten minutes.',
    totp: 'Six digits of your authenticator app, or a recovery code',
    email: 'The six digits that we sent to your email address',
    phone: 'The six digits that we sent to your phone',
    passkey: 'A recovery code',
  },
})
