import type { Language } from './language.ts'
import { numberFormat, oneLine } from './language.ts'

const number = numberFormat('en-TZ')
const tzs = (amount: number) => `TZS ${number(amount)}`
const credits = (count: number) => `${number(count)} ${count === 1 ? 'credit' : 'credits'}`

const NOT_YOU = 'If this was not you, change your password immediately.'
const NOT_YOUR_KEY = 'If you did not create it, revoke it and change your password immediately.'

export const en: Language = {
  greeting: 'Hello,',
  signature: 'The Mlango team',
  codeMail: (purpose, minutes) => ({
    subject: {
      verify_email: 'Your Mlango verification code',
      verify_phone: 'Your Mlango verification code',
      login_mfa: 'Your Mlango sign-in code',
      reset_password: 'Your Mlango password reset code',
      change_mfa: 'Your Mlango confirmation code',
      change_email: 'Confirm your new email address at Mlango',
    }[purpose],
    lead: {
      verify_email: 'Use this code to confirm your email address:',
      verify_phone: 'Use this code to confirm your phone number:',
      login_mfa: 'Use this code to finish signing in:',
      reset_password: 'Use this code to choose a new password:',
      change_mfa: 'Use this code to confirm a change to your second factor:',
      change_email: 'Use this code to make this the email address of your account:',
    }[purpose],
    end: `The code expires in ${minutes} minutes and can only be used once. Do not share it with anyone. ${purpose === 'change_mfa' ? NOT_YOU : 'If you did not request it, you can ignore this email.'}`,
  }),
  codeSms: (code, minutes) =>
    `${code} is your Mlango verification code. It expires in ${minutes} minutes. Do not share it with anyone.`,
  digestSms: (count) =>
    `Mlango: ${count === 1 ? '1 more notice' : `${number(count)} more notices`} about your account ${count === 1 ? 'was' : 'were'} not sent by SMS. Sign in to Mlango to read ${count === 1 ? 'it' : 'them'}.`,
  undoMail: (link) =>
    `If this was not you, undo it within seven days. Everybody is then signed out, and you set a new password:\n\n${link}`,
  undoSms: (title, link) => `Mlango: ${title}. Not you? Undo it within 7 days: ${link}`,
  notices: {
    'payment.completed': (data) => ({
      title: 'Payment received',
      body: `We have received your payment of ${tzs(data.amount_tzs)} and added ${credits(data.credits)} to your account. Thank you.`,
      sms: `Mlango: we have received your payment of ${tzs(data.amount_tzs)} and added ${credits(data.credits)} to your account. Thank you.`,
    }),
    'payment.failed': ({ amount_tzs }) => ({
      title: 'Payment failed',
      body: `Your payment of ${tzs(amount_tzs)} did not go through, so no credits were added. Please try again.`,
      sms: `Mlango: your payment of ${tzs(amount_tzs)} did not go through. Please try again.`,
    }),
    'payment.expired': ({ amount_tzs }) => ({
      title: 'Payment not confirmed',
      body: `Your payment of ${tzs(amount_tzs)} was not confirmed in time. If the money has already left your mobile money account, we will add your credits as soon as the payment reaches us.`,
      sms: `Mlango: your payment of ${tzs(amount_tzs)} was not confirmed in time. If you were charged, your credits will be added automatically.`,
    }),
    'credits.low': ({ available_credits }) => ({
      title: 'Your credits are running low',
      body: `You have ${credits(available_credits)} left. Top up now to keep using Mlango without interruption.`,
      sms: `Mlango: you have ${credits(available_credits)} left. Top up now to keep using Mlango without interruption.`,
    }),
    'allowance.used': ({ model, unpaid_credits, allowance_credits }) => ({
      title: 'An answer that your app left is charged',
      body: `Your app left an answer of ${oneLine(model)} before its end. In any 24 hours it may leave answers worth ${credits(allowance_credits)} without charge; with this one it would be more than that (${credits(unpaid_credits)} until now). So the answer was not stopped: it runs to its end and is charged. So is every other one beyond that.`,
      sms: `Mlango: your app left more answers than ${number(allowance_credits)} credits a day allow. Those it leaves beyond that run to their end and are charged.`,
    }),
    'credits.granted': ({ credits: count, reason }) => ({
      title: 'Credits added',
      body: {
        signup_bonus: `Welcome to Mlango! We have added ${credits(count)} to your account to get you started.`,
        refund: `We have refunded ${credits(count)} to your account.`,
        adjustment: `We have added ${credits(count)} to your account.`,
      }[reason ?? 'adjustment'],
      sms: `Mlango: we have added ${credits(count)} to your account.`,
    }),
    'security.new_login': ({ address, linked, verified }) =>
      linked
        ? {
            title: 'New way to sign in',
            body: `${oneLine(linked)} was linked to your account and can now be used to sign in. ${NOT_YOU}`,
            sms: `Mlango: a new way to sign in was linked to your account. ${NOT_YOU}`,
          }
        : verified
          ? {
              title: 'New sign-in',
              body: `${oneLine(verified)} was verified for your account, and a session was opened${address ? ` from IP address ${oneLine(address)}` : ''}. ${NOT_YOU}`,
              sms: `Mlango: a number was verified for your account, which opened a session. ${NOT_YOU}`,
            }
          : {
              title: 'New sign-in',
              body: `There was a new sign-in to your account${address ? ` from IP address ${oneLine(address)}` : ''}. ${NOT_YOU}`,
              sms: `Mlango: there was a new sign-in to your account. ${NOT_YOU}`,
            },
    'security.password_changed': () => ({
      title: 'Password changed',
      body: 'Your password was changed. If this was not you, reset it immediately.',
      sms: 'Mlango: your password was changed. If this was not you, reset it immediately.',
    }),
    'security.password_dropped': () => ({
      title: 'Please set a new password',
      body: 'While you were registering, somebody else registered with your address as well. To keep them out, no password that was chosen at registration counts. Set your own now under “Forgot your password?”. API keys that were made before you do so will then stop working.',
      sms: 'Mlango: somebody else also registered with your number, so no password counts yet. Set your own under "Forgot your password?".',
    }),
    'security.phone_changed': ({ phone_number }) => ({
      title: 'Phone number changed',
      body: `The phone number on your account was changed to ${oneLine(phone_number)}. ${NOT_YOU}`,
      sms: `Mlango: the phone number on your account was changed. ${NOT_YOU}`,
    }),
    'security.email_changed': ({ email }) => ({
      title: 'Email address changed',
      body: `The email address of your account was changed to ${oneLine(email)}. ${NOT_YOU}`,
      sms: `Mlango: the email address of your account was changed. ${NOT_YOU}`,
    }),
    'security.mfa_changed': ({ method }) => ({
      title: 'Second factor changed',
      body: {
        none: `The second factor of your account was turned off: it is now protected by its password alone. ${NOT_YOU}`,
        totp: `The second factor of your account is now an authenticator app. ${NOT_YOU}`,
        email: `The second factor of your account is now a code by email. ${NOT_YOU}`,
        phone: `The second factor of your account is now a code by SMS. ${NOT_YOU}`,
        passkey: `The second factor of your account is now your passkeys alone. ${NOT_YOU}`,
      }[method],
      sms: `Mlango: the second factor of your account was ${method === 'none' ? 'turned off' : 'changed'}. ${NOT_YOU}`,
    }),
    'security.passkey_added': ({ name }) => ({
      title: 'Passkey added',
      body: `A passkey, "${oneLine(name)}", was added to your account. It can be used as its second factor. ${NOT_YOU}`,
      sms: `Mlango: a passkey was added to your account. ${NOT_YOU}`,
    }),
    'security.passkey_removed': ({ name }) => ({
      title: 'Passkey removed',
      body: `The passkey "${oneLine(name)}" was removed from your account and no longer works. ${NOT_YOU}`,
      sms: `Mlango: a passkey was removed from your account. ${NOT_YOU}`,
    }),
    'security.recovery_codes_made': () => ({
      title: 'New recovery codes',
      body: `New recovery codes were made for your account. The ones before no longer work. ${NOT_YOU}`,
      sms: `Mlango: new recovery codes were made for your account. ${NOT_YOU}`,
    }),
    'security.recovery_code_used': ({ left }) => ({
      title: 'Recovery code used',
      body: `A recovery code was used in place of your second factor. ${left === 1 ? '1 code is' : `${number(left)} codes are`} left. ${NOT_YOU}`,
      sms: `Mlango: a recovery code was used in place of your second factor. ${NOT_YOU}`,
    }),
    'security.identity_unlinked': ({ provider }) => ({
      title: 'Way to sign in removed',
      body: `${oneLine(provider)} was unlinked from your account and can no longer be used to sign in. ${NOT_YOU}`,
      sms: `Mlango: a way to sign in was removed from your account. ${NOT_YOU}`,
    }),
    'security.change_undone': () => ({
      title: 'Change undone',
      body: 'You sign in as you did before the change. Everybody was signed out, and API keys made since then were revoked. Set a new password, then check your API keys.',
      sms: 'Mlango: the change was undone and everybody was signed out. Set a new password, then check your API keys.',
    }),
    'security.session_reuse': () => ({
      title: 'We ended one of your sessions',
      body: 'To protect your account, we ended one of your sessions because an old sign-in token was used again. Please sign in again. If you notice anything unusual, change your password immediately.',
      sms: 'Mlango: we ended one of your sessions to protect your account. If you notice anything unusual, change your password immediately.',
    }),
    'security.account_deleted': () => ({
      title: 'Account deleted',
      body: 'Your account was deleted. Nobody can sign in to it any more, its API keys no longer work, and its credits cannot be used. If this was not you, or you want it back, ask the service to restore it within 30 days.',
      sms: 'Mlango: your account was deleted. If this was not you, or you want it back, ask us to restore it within 30 days.',
    }),
    'security.account_restored': () => ({
      title: 'Account restored',
      body: 'Your account was restored, with its credits. Sign in as before. Its API keys no longer work: create new ones.',
      sms: 'Mlango: your account was restored, with its credits. Sign in as before. Create new API keys, as the old ones no longer work.',
    }),
    'api_key.created': ({ name, last4 }) => ({
      title: 'API key created',
      body: `A new API key, "${oneLine(name)}" (ending in ${oneLine(last4)}), was created in your account. ${NOT_YOUR_KEY}`,
      sms: `Mlango: a new API key was created in your account. ${NOT_YOUR_KEY}`,
    }),
    'video.completed': ({ model }) => ({
      title: 'Your video is ready',
      body: `Your video made with ${oneLine(model)} is ready to download.`,
      sms: 'Mlango: your video is ready to download.',
    }),
    'video.failed': ({ model }) => ({
      title: 'Your video could not be made',
      body: `We could not make your video with ${oneLine(model)}. You have not been charged.`,
      sms: 'Mlango: we could not make your video. You have not been charged.',
    }),
  },
}
