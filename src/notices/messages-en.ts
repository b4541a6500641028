import type { Catalogue } from './catalogue.ts'
import { amount, quoted } from './numbers.ts'

const NOT_YOU = 'If this was not you, change your password now.'

export const en: Catalogue = {
  signature: 'Mlango',
  code: (purpose, minutes) => ({
    subject: {
      verify_email: 'Mlango: your verification code',
      verify_phone: 'Mlango: your verification code',
      login_mfa: 'Mlango: your sign-in code',
      reset_password: 'Mlango: your password reset code',
    }[purpose],
    lead: {
      verify_email: 'This code confirms your email address:',
      verify_phone: 'This code confirms your phone number:',
      login_mfa: 'This code completes your sign-in:',
      reset_password: 'This code lets you choose a new password:',
    }[purpose],
    end: `It works once, for ${minutes} minutes. Give it to nobody. If you did not ask for it, do nothing.`,
  }),
  codeSms: (code, minutes) =>
    `${code} is your Mlango code. It expires in ${minutes} minutes. Give it to nobody.`,
  notices: {
    'payment.completed': ({ amount_tzs, credits }) => ({
      title: 'Payment received',
      body: `We received TZS ${amount(amount_tzs)}. ${amount(credits)} credits were added to your account.`,
      sms: `Mlango: TZS ${amount(amount_tzs)} received, ${amount(credits)} credits added.`,
    }),
    'payment.failed': ({ amount_tzs }) => ({
      title: 'Payment failed',
      body: `Your payment of TZS ${amount(amount_tzs)} did not succeed. No credits were added. You can try again.`,
      sms: `Mlango: your payment of TZS ${amount(amount_tzs)} failed. You can try again.`,
    }),
    'payment.expired': ({ amount_tzs }) => ({
      title: 'Payment expired',
      body: `Your payment of TZS ${amount(amount_tzs)} was not confirmed in time. If money left your wallet, the credits follow by themselves.`,
      sms: `Mlango: your payment of TZS ${amount(amount_tzs)} was not confirmed in time.`,
    }),
    'credits.low': ({ available_credits }) => ({
      title: 'Credits are running low',
      body: `You have ${amount(available_credits)} credits left. Top up so that your calls go on.`,
      sms: `Mlango: you have ${amount(available_credits)} credits left. Please top up.`,
    }),
    'credits.granted': ({ credits, reason }) => ({
      title: 'Credits added',
      body:
        reason === 'signup_bonus'
          ? `Welcome. ${amount(credits)} credits are yours to start with.`
          : `${amount(credits)} credits were added to your account.`,
      sms: `Mlango: ${amount(credits)} credits were added to your account.`,
    }),
    'security.new_login': ({ address, linked }) => ({
      title: 'New sign-in',
      body: linked
        ? `${quoted(linked)} sign-in was linked to your account and opens it from now on. ${NOT_YOU}`
        : `Someone signed in to your account${address ? ` from ${quoted(address)}` : ''}. ${NOT_YOU}`,
      sms: `Mlango: new sign-in to your account. ${NOT_YOU}`,
    }),
    'security.password_changed': () => ({
      title: 'Password changed',
      body: 'The password of your account was changed. If this was not you, reset it now.',
      sms: 'Mlango: your password was changed. If this was not you, reset it now.',
    }),
    'security.phone_changed': ({ phone_number }) => ({
      title: 'Phone number changed',
      body: `The phone number of your account is now ${quoted(phone_number)}. ${NOT_YOU}`,
      sms: `Mlango: the phone number of your account was changed. ${NOT_YOU}`,
    }),
    'security.session_reuse': () => ({
      title: 'A session was ended',
      body: `An old sign-in token of your account was used again, so we ended that session. ${NOT_YOU}`,
      sms: `Mlango: an old sign-in token was used again; we ended that session. ${NOT_YOU}`,
    }),
    'api_key.created': ({ name, last4 }) => ({
      title: 'API key created',
      body: `The API key "${quoted(name)}", ending in ${quoted(last4)}, was created. If this was not you, revoke it and change your password.`,
      sms: `Mlango: a new API key was created. ${NOT_YOU}`,
    }),
    'video.completed': ({ model }) => ({
      title: 'Your video is ready',
      body: `The video made with ${quoted(model)} is ready.`,
      sms: 'Mlango: your video is ready.',
    }),
    'video.failed': ({ model }) => ({
      title: 'Your video failed',
      body: `The video asked of ${quoted(model)} could not be made. You were not charged.`,
      sms: 'Mlango: your video could not be made. You were not charged.',
    }),
  },
}
