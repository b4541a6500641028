import { words } from '../../../words/language.tsx'

export const messagesWords = words({
  sw: {
    title: 'Ujumbe',
    lead: 'Barua pepe na SMS kwa wateja. Yaliyomo hayaonyeshwi: yanaweza kuwa na namba ya siri.',
    state: 'Hali',
    states: {
      dead: 'Haukufika',
      waiting: 'Unasubiri',
      sent: 'Umetumwa',
      folded: 'Umeunganishwa',
    },
    channels: { email: 'Barua pepe', sms: 'SMS' },
    attempts: 'Majaribio',
    none: 'Hakuna ujumbe wa aina hii',
    noneDead: 'Ujumbe wote umefika',
    resend: 'Tuma tena',
    resendTitle: 'Tuma ujumbe huu tena?',
    resendWhy: 'Utawekwa kwenye foleni na kutumwa kwa anwani ileile.',
    resent: 'Umewekwa kwenye foleni.',
    gone: 'Yaliyomo yamefutwa',
  },
  en: {
    title: 'Messages',
    lead: 'Mail and SMS to customers. What they say is not shown: it may be a code.',
    state: 'State',
    states: { dead: 'Undeliverable', waiting: 'Waiting', sent: 'Sent', folded: 'Merged' },
    channels: { email: 'Email', sms: 'SMS' },
    attempts: 'Tries',
    none: 'No message like this',
    noneDead: 'All messages arrived',
    resend: 'Send again',
    resendTitle: 'Send this message again?',
    resendWhy: 'It is queued, and goes to the same address.',
    resent: 'It is queued.',
    gone: 'Its text was deleted',
  },
})
