import type { Answer } from '../client/ask.ts'
import { useAsk } from '../client/use-ask.ts'
import { words } from '../words/language.tsx'

export type Model = Answer<'GET /v1/catalog'>['data'][number]

/** The public price list. It changes by the hour, not by the minute. */
export const useCatalog = () =>
  useAsk('GET /v1/catalog', { query: { include_free: 'true' } }, { staleTime: 300_000 })

/** What a model is for, by what comes out of it. */
export const ABILITIES = [
  'text',
  'image',
  'transcription',
  'speech',
  'video',
  'embeddings',
] as const
export type Ability = (typeof ABILITIES)[number]

export function abilitiesOf(model: Model): Ability[] {
  return ABILITIES.filter((ability) => model.output_modalities.includes(ability))
}

export const abilityWords = words({
  sw: {
    text: 'Maandishi',
    image: 'Picha',
    transcription: 'Sauti kuwa maandishi',
    speech: 'Maandishi kuwa sauti',
    video: 'Video',
    embeddings: 'Vekta',
  },
  en: {
    text: 'Text',
    image: 'Pictures',
    transcription: 'Speech to text',
    speech: 'Text to speech',
    video: 'Video',
    embeddings: 'Embeddings',
  },
})
