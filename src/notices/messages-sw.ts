import type { Language } from './language.ts'
import { numberFormat, oneLine } from './language.ts'

const number = numberFormat('sw-TZ')
const tsh = (amount: number) => `TSh ${number(amount)}`
const krediti = (count: number) => `krediti ${number(count)}`

const NOT_YOU = 'Kama si wewe, badilisha nenosiri lako mara moja.'
const NOT_YOUR_KEY = 'Kama si wewe, futa ufunguo huo na ubadilishe nenosiri lako mara moja.'

export const sw: Language = {
  greeting: 'Habari,',
  signature: 'Timu ya Mlango',
  codeMail: (purpose, minutes) => ({
    subject: {
      verify_email: 'Msimbo wako wa uthibitisho wa Mlango',
      verify_phone: 'Msimbo wako wa uthibitisho wa Mlango',
      login_mfa: 'Msimbo wako wa kuingia Mlango',
      reset_password: 'Msimbo wa kubadilisha nenosiri lako la Mlango',
      change_mfa: 'Msimbo wako wa kuthibitisha mabadiliko ya Mlango',
      change_email: 'Thibitisha barua pepe yako mpya ya Mlango',
    }[purpose],
    lead: {
      verify_email: 'Tumia msimbo huu kuthibitisha barua pepe yako:',
      verify_phone: 'Tumia msimbo huu kuthibitisha namba yako ya simu:',
      login_mfa: 'Tumia msimbo huu kukamilisha kuingia kwenye akaunti yako:',
      reset_password: 'Tumia msimbo huu kuweka nenosiri jipya:',
      change_mfa: 'Tumia msimbo huu kuthibitisha mabadiliko ya uthibitisho wako wa hatua ya pili:',
      change_email: 'Tumia msimbo huu kuifanya hii iwe barua pepe ya akaunti yako:',
    }[purpose],
    end: `Msimbo huu unatumika mara moja tu, ndani ya dakika ${minutes}. Usimpe mtu yeyote msimbo huu. ${purpose === 'change_mfa' ? NOT_YOU : 'Kama hukuuomba, tafadhali puuza barua pepe hii.'}`,
  }),
  codeSms: (code, minutes) =>
    `${code} ni msimbo wako wa uthibitisho wa Mlango. Unatumika ndani ya dakika ${minutes}. Usimpe mtu yeyote msimbo huu.`,
  digestSms: (count) =>
    `Mlango: una ${count === 1 ? 'taarifa nyingine 1' : `taarifa nyingine ${number(count)}`} kuhusu akaunti yako ${count === 1 ? 'ambayo hatukuituma' : 'ambazo hatukuzituma'} kwa SMS. Ingia Mlango ${count === 1 ? 'uisome' : 'uzisome'}.`,
  undoMail: (link) =>
    `Kama si wewe uliyefanya hivi, tengua mabadiliko haya ndani ya siku saba. Wote walioingia wataondolewa, nawe utaweka nenosiri jipya:\n\n${link}`,
  undoSms: (title, link) => `Mlango: ${title}. Si wewe? Tengua ndani ya siku 7: ${link}`,
  notices: {
    'payment.completed': ({ amount_tzs, credits }) => ({
      title: 'Malipo yamepokelewa',
      body: `Tumepokea malipo yako ya ${tsh(amount_tzs)} na kuongeza ${krediti(credits)} kwenye akaunti yako. Asante.`,
      sms: `Mlango: tumepokea malipo yako ya ${tsh(amount_tzs)} na kuongeza ${krediti(credits)} kwenye akaunti yako. Asante.`,
    }),
    'payment.failed': ({ amount_tzs }) => ({
      title: 'Malipo hayakufanikiwa',
      body: `Malipo yako ya ${tsh(amount_tzs)} hayakufanikiwa, hivyo hakuna krediti zilizoongezwa. Tafadhali jaribu tena.`,
      sms: `Mlango: malipo yako ya ${tsh(amount_tzs)} hayakufanikiwa. Tafadhali jaribu tena.`,
    }),
    'payment.expired': ({ amount_tzs }) => ({
      title: 'Malipo hayajathibitishwa',
      body: `Malipo yako ya ${tsh(amount_tzs)} hayakuthibitishwa kwa wakati. Kama pesa zimeshakatwa kwenye simu yako, tutaongeza krediti zako mara tu malipo yatakapotufikia.`,
      sms: `Mlango: malipo yako ya ${tsh(amount_tzs)} hayakuthibitishwa kwa wakati. Kama pesa zimeshakatwa, krediti zako zitaongezwa moja kwa moja.`,
    }),
    'credits.low': ({ available_credits }) => ({
      title: 'Salio lako linakaribia kuisha',
      body: `Umebakiwa na ${krediti(available_credits)}. Ongeza salio sasa ili uendelee kutumia Mlango bila kukatizwa.`,
      sms: `Mlango: umebakiwa na ${krediti(available_credits)}. Ongeza salio sasa ili uendelee kutumia Mlango bila kukatizwa.`,
    }),
    'allowance.used': ({ model, unpaid_credits, allowance_credits }) => ({
      title: 'Jibu ambalo programu yako iliacha linatozwa',
      body: `Programu yako iliacha jibu la ${oneLine(model)} kabla halijaisha. Ndani ya saa 24 inaweza kuacha majibu ya ${krediti(allowance_credits)} bila kutozwa; hadi sasa imeacha ya ${krediti(unpaid_credits)}, na hili linazidisha kiwango. Kwa hiyo halikusimamishwa: linaendelea hadi mwisho na linatozwa. Ndivyo itakavyokuwa kwa kila jibu linalozidi kiwango.`,
      sms: `Mlango: programu yako imeacha majibu kupita krediti ${number(allowance_credits)} kwa siku. Yanayozidi yanaendelea hadi mwisho na yanatozwa.`,
    }),
    'credits.granted': ({ credits, reason }) => ({
      title: 'Krediti zimeongezwa',
      body: {
        signup_bonus: `Karibu Mlango! Tumekuongezea ${krediti(credits)} kwenye akaunti yako ili uanze kutumia huduma zetu.`,
        refund: `Tumekurejeshea ${krediti(credits)} kwenye akaunti yako.`,
        adjustment: `Tumekuongezea ${krediti(credits)} kwenye akaunti yako.`,
      }[reason ?? 'adjustment'],
      sms: `Mlango: tumekuongezea ${krediti(credits)} kwenye akaunti yako.`,
    }),
    'security.new_login': ({ address, linked, verified }) =>
      linked
        ? {
            title: 'Njia mpya ya kuingia',
            body: `${oneLine(linked)} imeunganishwa na akaunti yako na sasa inaweza kutumika kuingia. ${NOT_YOU}`,
            sms: `Mlango: njia mpya ya kuingia imeunganishwa na akaunti yako. ${NOT_YOU}`,
          }
        : verified
          ? {
              title: 'Kuna mtu ameingia kwenye akaunti yako',
              body: `${oneLine(verified)} imethibitishwa kwa akaunti yako, na mtu ameingia${address ? ` kutoka anwani ya IP ${oneLine(address)}` : ''}. ${NOT_YOU}`,
              sms: `Mlango: namba imethibitishwa kwa akaunti yako, na mtu ameingia. ${NOT_YOU}`,
            }
          : {
              title: 'Kuna mtu ameingia kwenye akaunti yako',
              body: `Kuna mtu ameingia kwenye akaunti yako${address ? ` kutoka anwani ya IP ${oneLine(address)}` : ''}. ${NOT_YOU}`,
              sms: `Mlango: kuna mtu ameingia kwenye akaunti yako. ${NOT_YOU}`,
            },
    'security.password_changed': () => ({
      title: 'Nenosiri limebadilishwa',
      body: 'Nenosiri la akaunti yako limebadilishwa. Kama si wewe, weka nenosiri jipya mara moja.',
      sms: 'Mlango: nenosiri lako limebadilishwa. Kama si wewe, weka nenosiri jipya mara moja.',
    }),
    'security.password_dropped': () => ({
      title: 'Tafadhali weka nenosiri jipya',
      body: 'Ulipokuwa unajisajili, kuna mtu mwingine pia aliyejisajili kwa anwani yako. Ili asiweze kuingia, manenosiri yote yaliyochaguliwa wakati wa kujisajili hayatumiki. Weka nenosiri lako sasa kupitia “Umesahau nenosiri?”. Funguo za API zilizotengenezwa kabla ya hapo zitaacha kufanya kazi.',
      sms: 'Mlango: kuna mwingine aliyejisajili kwa namba yako, hivyo nenosiri la usajili halitumiki. Weka jipya kupitia "Umesahau nenosiri?".',
    }),
    'security.phone_changed': ({ phone_number }) => ({
      title: 'Namba ya simu imebadilishwa',
      body: `Namba ya simu ya akaunti yako imebadilishwa kuwa ${oneLine(phone_number)}. ${NOT_YOU}`,
      sms: `Mlango: namba ya simu ya akaunti yako imebadilishwa. ${NOT_YOU}`,
    }),
    'security.email_changed': ({ email }) => ({
      title: 'Barua pepe imebadilishwa',
      body: `Barua pepe ya akaunti yako imebadilishwa kuwa ${oneLine(email)}. ${NOT_YOU}`,
      sms: `Mlango: barua pepe ya akaunti yako imebadilishwa. ${NOT_YOU}`,
    }),
    'security.mfa_changed': ({ method }) => ({
      title: 'Uthibitisho wa hatua ya pili umebadilishwa',
      body: {
        none: `Uthibitisho wa hatua ya pili wa akaunti yako umezimwa: sasa inalindwa na nenosiri pekee. ${NOT_YOU}`,
        totp: `Uthibitisho wa hatua ya pili wa akaunti yako sasa unatumia programu ya uthibitishaji. ${NOT_YOU}`,
        email: `Uthibitisho wa hatua ya pili wa akaunti yako sasa unatumia msimbo kwa barua pepe. ${NOT_YOU}`,
        phone: `Uthibitisho wa hatua ya pili wa akaunti yako sasa unatumia msimbo kwa SMS. ${NOT_YOU}`,
        passkey: `Uthibitisho wa hatua ya pili wa akaunti yako sasa unatumia funguo za siri (passkey) pekee. ${NOT_YOU}`,
      }[method],
      sms: `Mlango: uthibitisho wa hatua ya pili wa akaunti yako ${method === 'none' ? 'umezimwa' : 'umebadilishwa'}. ${NOT_YOU}`,
    }),
    'security.passkey_added': ({ name }) => ({
      title: 'Ufunguo wa siri (passkey) umeongezwa',
      body: `Ufunguo wa siri (passkey) "${oneLine(name)}" umeongezwa kwenye akaunti yako. Sasa unaweza kutumika kwa uthibitisho wa hatua ya pili. ${NOT_YOU}`,
      sms: `Mlango: ufunguo wa siri (passkey) umeongezwa kwenye akaunti yako. ${NOT_YOU}`,
    }),
    'security.passkey_removed': ({ name }) => ({
      title: 'Ufunguo wa siri (passkey) umeondolewa',
      body: `Ufunguo wa siri (passkey) "${oneLine(name)}" umeondolewa kwenye akaunti yako na haufanyi kazi tena. ${NOT_YOU}`,
      sms: `Mlango: ufunguo wa siri (passkey) umeondolewa kwenye akaunti yako. ${NOT_YOU}`,
    }),
    'security.recovery_codes_made': () => ({
      title: 'Misimbo mipya ya dharura',
      body: `Misimbo mipya ya dharura imetengenezwa kwa akaunti yako. Ile ya awali haifanyi kazi tena. ${NOT_YOU}`,
      sms: `Mlango: misimbo mipya ya dharura imetengenezwa kwa akaunti yako. ${NOT_YOU}`,
    }),
    'security.recovery_code_used': ({ left }) => ({
      title: 'Msimbo wa dharura umetumika',
      body: `Msimbo wa dharura umetumika badala ya uthibitisho wako wa hatua ya pili. Misimbo iliyobaki ni ${number(left)}. ${NOT_YOU}`,
      sms: `Mlango: msimbo wa dharura umetumika badala ya uthibitisho wako wa hatua ya pili. ${NOT_YOU}`,
    }),
    'security.identity_unlinked': ({ provider }) => ({
      title: 'Njia ya kuingia imeondolewa',
      body: `${oneLine(provider)} imetenganishwa na akaunti yako na haiwezi kutumika tena kuingia. ${NOT_YOU}`,
      sms: `Mlango: njia moja ya kuingia kwenye akaunti yako imeondolewa. ${NOT_YOU}`,
    }),
    'security.change_undone': () => ({
      title: 'Mabadiliko yametenguliwa',
      body: 'Utaingia kama ulivyokuwa ukiingia kabla ya mabadiliko. Wote walioingia wameondolewa, na funguo za API zilizoundwa tangu hapo zimebatilishwa. Weka nenosiri jipya, kisha kagua funguo zako za API.',
      sms: 'Mlango: mabadiliko yametenguliwa na wote walioingia wameondolewa. Weka nenosiri jipya, kisha kagua funguo zako za API.',
    }),
    'security.session_reuse': () => ({
      title: 'Tumefunga kipindi kimoja cha akaunti yako',
      body: 'Ili kulinda akaunti yako, tumefunga kipindi kimoja kwa sababu tokeni ya zamani ya kuingia imetumika tena. Tafadhali ingia tena. Ukiona jambo lisilo la kawaida, badilisha nenosiri lako mara moja.',
      sms: 'Mlango: tumefunga kipindi kimoja ili kulinda akaunti yako. Ukiona jambo lisilo la kawaida, badilisha nenosiri lako mara moja.',
    }),
    'security.account_deleted': () => ({
      title: 'Akaunti imefutwa',
      body: 'Akaunti yako imefutwa. Hakuna anayeweza kuingia tena, funguo zake za API hazifanyi kazi, na krediti zake haziwezi kutumika. Kama si wewe uliyeifuta, au unataka irudishwe, tuombe kuirudisha ndani ya siku 30.',
      sms: 'Mlango: akaunti yako imefutwa. Kama si wewe uliyeifuta, au unataka irudishwe, tuombe kuirudisha ndani ya siku 30.',
    }),
    'security.account_restored': () => ({
      title: 'Akaunti imerudishwa',
      body: 'Akaunti yako imerudishwa pamoja na krediti zake. Ingia kama kawaida. Funguo zake za API hazifanyi kazi tena: tengeneza mpya.',
      sms: 'Mlango: akaunti yako imerudishwa pamoja na krediti zake. Ingia kama kawaida. Funguo za API za awali hazifanyi kazi: tengeneza mpya.',
    }),
    'api_key.created': ({ name, last4 }) => ({
      title: 'Ufunguo wa API umeundwa',
      body: `Ufunguo mpya wa API, "${oneLine(name)}" (unaoishia na ${oneLine(last4)}), umeundwa kwenye akaunti yako. ${NOT_YOUR_KEY}`,
      sms: `Mlango: ufunguo mpya wa API umeundwa kwenye akaunti yako. ${NOT_YOUR_KEY}`,
    }),
    'video.completed': ({ model }) => ({
      title: 'Video yako iko tayari',
      body: `Video yako iliyotengenezwa kwa ${oneLine(model)} iko tayari kupakuliwa.`,
      sms: 'Mlango: video yako iko tayari kupakuliwa.',
    }),
    'video.failed': ({ model }) => ({
      title: 'Video yako haikutengenezwa',
      body: `Hatukuweza kutengeneza video yako kwa ${oneLine(model)}. Hujatozwa chochote.`,
      sms: 'Mlango: hatukuweza kutengeneza video yako. Hujatozwa chochote.',
    }),
  },
}
