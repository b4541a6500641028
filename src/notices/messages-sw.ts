import type { Catalogue } from './catalogue.ts'
import { amount, quoted } from './numbers.ts'

const NOT_YOU = 'Kama si wewe, badilisha nenosiri lako sasa.'

export const sw: Catalogue = {
  signature: 'Mlango',
  code: (purpose, minutes) => ({
    subject: {
      verify_email: 'Mlango: namba yako ya uthibitisho',
      verify_phone: 'Mlango: namba yako ya uthibitisho',
      login_mfa: 'Mlango: namba yako ya kuingia',
      reset_password: 'Mlango: namba ya kubadilisha nenosiri',
    }[purpose],
    lead: {
      verify_email: 'Namba hii inathibitisha barua pepe yako:',
      verify_phone: 'Namba hii inathibitisha simu yako:',
      login_mfa: 'Namba hii inakamilisha kuingia kwako:',
      reset_password: 'Namba hii inakuwezesha kuchagua nenosiri jipya:',
    }[purpose],
    end: `Inatumika mara moja, kwa dakika ${minutes}. Usimpe mtu yeyote. Kama hukuiomba, usifanye chochote.`,
  }),
  codeSms: (code, minutes) =>
    `${code} ni namba yako ya Mlango. Inaisha baada ya dakika ${minutes}. Usimpe mtu yeyote.`,
  notices: {
    'payment.completed': ({ amount_tzs, credits }) => ({
      title: 'Malipo yamepokelewa',
      body: `Tumepokea TZS ${amount(amount_tzs)}. Salio la krediti ${amount(credits)} limeongezwa kwenye akaunti yako.`,
      sms: `Mlango: tumepokea TZS ${amount(amount_tzs)}, krediti ${amount(credits)} zimeongezwa.`,
    }),
    'payment.failed': ({ amount_tzs }) => ({
      title: 'Malipo hayakufanikiwa',
      body: `Malipo yako ya TZS ${amount(amount_tzs)} hayakufanikiwa. Hakuna krediti zilizoongezwa. Unaweza kujaribu tena.`,
      sms: `Mlango: malipo yako ya TZS ${amount(amount_tzs)} hayakufanikiwa. Unaweza kujaribu tena.`,
    }),
    'payment.expired': ({ amount_tzs }) => ({
      title: 'Muda wa malipo umeisha',
      body: `Malipo yako ya TZS ${amount(amount_tzs)} hayakuthibitishwa kwa wakati. Kama pesa imetoka kwenye simu yako, krediti zitaongezwa zenyewe.`,
      sms: `Mlango: malipo yako ya TZS ${amount(amount_tzs)} hayakuthibitishwa kwa wakati.`,
    }),
    'credits.low': ({ available_credits }) => ({
      title: 'Krediti zinakaribia kuisha',
      body: `Umebakiwa na krediti ${amount(available_credits)}. Ongeza salio ili huduma iendelee.`,
      sms: `Mlango: umebakiwa na krediti ${amount(available_credits)}. Tafadhali ongeza salio.`,
    }),
    'credits.granted': ({ credits, reason }) => ({
      title: 'Krediti zimeongezwa',
      body:
        reason === 'signup_bonus'
          ? `Karibu. Umepewa krediti ${amount(credits)} za kuanzia.`
          : `Krediti ${amount(credits)} zimeongezwa kwenye akaunti yako.`,
      sms: `Mlango: krediti ${amount(credits)} zimeongezwa kwenye akaunti yako.`,
    }),
    'security.new_login': ({ address, linked }) => ({
      title: 'Kuingia kupya',
      body: linked
        ? `Kuingia kwa ${quoted(linked)} kumeunganishwa na akaunti yako na kunaifungua kuanzia sasa. ${NOT_YOU}`
        : `Kuna aliyeingia kwenye akaunti yako${address ? ` kutoka ${quoted(address)}` : ''}. ${NOT_YOU}`,
      sms: `Mlango: kuna aliyeingia kwenye akaunti yako. ${NOT_YOU}`,
    }),
    'security.password_changed': () => ({
      title: 'Nenosiri limebadilishwa',
      body: 'Nenosiri la akaunti yako limebadilishwa. Kama si wewe, liweke upya sasa.',
      sms: 'Mlango: nenosiri lako limebadilishwa. Kama si wewe, liweke upya sasa.',
    }),
    'security.phone_changed': ({ phone_number }) => ({
      title: 'Namba ya simu imebadilishwa',
      body: `Namba ya simu ya akaunti yako sasa ni ${quoted(phone_number)}. ${NOT_YOU}`,
      sms: `Mlango: namba ya simu ya akaunti yako imebadilishwa. ${NOT_YOU}`,
    }),
    'security.session_reuse': () => ({
      title: 'Kipindi kimefungwa',
      body: `Tokeni ya zamani ya akaunti yako imetumika tena, hivyo tumefunga kipindi hicho. ${NOT_YOU}`,
      sms: `Mlango: tokeni ya zamani imetumika tena; tumefunga kipindi hicho. ${NOT_YOU}`,
    }),
    'api_key.created': ({ name, last4 }) => ({
      title: 'Ufunguo wa API umeundwa',
      body: `Ufunguo wa API "${quoted(name)}", unaoishia ${quoted(last4)}, umeundwa. Kama si wewe, ufute na ubadilishe nenosiri lako.`,
      sms: `Mlango: ufunguo mpya wa API umeundwa. ${NOT_YOU}`,
    }),
    'video.completed': ({ model }) => ({
      title: 'Video yako iko tayari',
      body: `Video iliyotengenezwa na ${quoted(model)} iko tayari.`,
      sms: 'Mlango: video yako iko tayari.',
    }),
    'video.failed': ({ model }) => ({
      title: 'Video haikufanikiwa',
      body: `Video iliyoombwa kwa ${quoted(model)} haikuweza kutengenezwa. Hukutozwa.`,
      sms: 'Mlango: video yako haikuweza kutengenezwa. Hukutozwa.',
    }),
  },
}
