import { words } from '../../words/language.tsx'

export const landingWords = words({
  sw: {
    title: 'Modeli zote za AI. Ufunguo mmoja. Lipa kwa simu.',
    lead: 'Mlango unakuunganisha na modeli za maandishi, sauti, picha na video. Weka salio kwa M-Pesa, Mixx, Airtel Money au HaloPesa, na ulipe unachotumia tu, kwa shilingi.',
    start: 'Anza bure',
    prices: 'Angalia bei',
    bonus: (credits: string) =>
      `Krediti ${credits} bure ukifungua akaunti. Huhitaji kadi ya benki.`,
    noCard: 'Huhitaji kadi ya benki.',
    calculator: 'Itagharimu kiasi gani?',
    calculatorLead: 'Kadiria mwezi wako kwa bei tunazotoza leo.',
    messages: 'Ujumbe kwa siku',
    minutes: 'Dakika za sauti kwa siku',
    pictures: 'Picha kwa siku',
    model: 'Modeli ya maandishi',
    perMonth: 'kwa mwezi',
    estimate: (input: string, output: string) =>
      `Makadirio: ujumbe mmoja ni tokeni ${input} za kutuma na ${output} za kupokea; mwezi ni siku 30. Unatozwa kiasi halisi tu.`,
    noPrices: 'Bei hazipatikani kwa sasa. Zinaonekana kwenye ukurasa wa modeli.',
    part: { messages: 'Ujumbe', minutes: 'Sauti', pictures: 'Picha' },
    why: 'Kwa nini Mlango',
    reasons: {
      pay: 'Lipa kwa simu',
      paySay:
        'Ongeza salio kuanzia TZS 500. Ombi la malipo linakuja kwenye simu yako; weka PIN, salio linaingia.',
      fair: 'Kikikatika, hulipi',
      fairSay:
        'Ombi lililoshindikana au kukatika halitozwi. Kila senti inaonekana kwenye taarifa yako.',
      works: 'SDK uliyonayo inafanya kazi',
      worksSay:
        'Badilisha anwani na ufunguo tu. Maktaba za OpenAI za Python, JavaScript na nyingine zinafanya kazi.',
      kiswahili: 'Kiswahili kwanza',
      kiswahiliSay: 'Sema na usikilize kwa Kiswahili: sauti, jibu na sauti tena kwa ombi moja.',
    },
    code: 'Ombi lako la kwanza',
    codeLead: 'Mistari michache, kwa lugha unayoijua.',
    codeTabs: 'Mifano ya msimbo',
    steps: 'Hatua tatu',
    step: {
      one: 'Fungua akaunti',
      oneSay: 'Kwa simu au barua pepe. Dakika moja.',
      two: 'Ongeza salio',
      twoSay: 'Kwa mtandao wako wa simu, kwa shilingi.',
      three: 'Tengeneza ufunguo',
      threeSay: 'Uweke kwenye programu yako, au jaribu modeli hapa hapa.',
    },
  },
  en: {
    title: 'Every AI model. One key. Paid by phone.',
    lead: 'Mlango connects you to models for text, voice, pictures and video. Top up with M-Pesa, Mixx, Airtel Money or HaloPesa, and pay only for what you use, in shillings.',
    start: 'Start for free',
    prices: 'See the prices',
    bonus: (credits) => `${credits} free credits when you open an account. No bank card needed.`,
    noCard: 'No bank card needed.',
    calculator: 'What will it cost?',
    calculatorLead: 'Estimate your month at the prices we charge today.',
    messages: 'Messages a day',
    minutes: 'Minutes of speech a day',
    pictures: 'Pictures a day',
    model: 'Text model',
    perMonth: 'a month',
    estimate: (input, output) =>
      `An estimate: one message is ${input} tokens sent and ${output} received; a month is 30 days. You are charged what you really use.`,
    noPrices: 'Prices are not available now. You find them on the page of models.',
    part: { messages: 'Messages', minutes: 'Speech', pictures: 'Pictures' },
    why: 'Why Mlango',
    reasons: {
      pay: 'Pay by phone',
      paySay:
        'Top up from TZS 500. The payment request comes to your phone; enter your PIN and the credits are there.',
      fair: 'Broken calls are free',
      fairSay: 'A call that fails or breaks off is not charged. Every cent is in your statement.',
      works: 'The SDK you have works',
      worksSay:
        'Change the address and the key, nothing else. OpenAI’s libraries for Python, JavaScript and others work.',
      kiswahili: 'Kiswahili first',
      kiswahiliSay: 'Speak and listen in Kiswahili: speech, answer and speech again in one call.',
    },
    code: 'Your first call',
    codeLead: 'A few lines, in the language you know.',
    codeTabs: 'Code samples',
    steps: 'Three steps',
    step: {
      one: 'Open an account',
      oneSay: 'With a phone number or email. One minute.',
      two: 'Top up',
      twoSay: 'With your mobile network, in shillings.',
      three: 'Make a key',
      threeSay: 'Put it into your program, or try models right here.',
    },
  },
})
