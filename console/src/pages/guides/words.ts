import { words } from '../../words/language.tsx'

export const guideWords = words({
  sw: {
    title: 'Miongozo',
    lead: 'Unganisha programu yako na Mlango. SDK uliyonayo inafanya kazi: badilisha anwani na ufunguo.',
    reference: 'Rejea kamili ya API',
    openapi: 'OpenAPI 3.1 (JSON)',
    all: 'Miongozo yote',
    next: 'Endelea kusoma',
    sample: 'Mfano',
    key: 'Tengeneza ufunguo',
    try: 'Jaribu hapa',
    models: 'Modeli na bei',
    model: 'Jina la modeli kwenye mifano lipo kwenye orodha ya sasa; weka lolote unalotaka.',
  },
  en: {
    title: 'Guides',
    lead: 'Connect your program to Mlango. The SDK you have works: change the address and the key.',
    reference: 'The whole API reference',
    openapi: 'OpenAPI 3.1 (JSON)',
    all: 'All guides',
    next: 'Read on',
    sample: 'Sample',
    key: 'Create a key',
    try: 'Try it here',
    models: 'Models and prices',
    model: 'The model in the samples is one of the current list; use whichever you like.',
  },
})
