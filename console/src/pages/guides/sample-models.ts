import type { Model } from '../../catalog/models.ts'
import { byPrice } from '../../catalog/prices.ts'
import { useOrigin } from '../../client/origin.ts'
import { useAsk } from '../../client/use-ask.ts'

type Wanted = 'text' | 'vision' | 'document' | 'image' | 'transcription' | 'speech' | 'video'
type Facts = Pick<
  Model,
  'id' | 'input_modalities' | 'output_modalities' | 'is_free' | 'pricing_credits' | 'context_length'
>
export type SampleFacts = {
  origin: string
  model: Record<Wanted, string>
  /** How many tokens the text model takes in at once. */
  context: number
}

/** This service's address, and its cheapest model for each use: samples run unchanged. */
export function useSampleFacts(): SampleFacts {
  const origin = useOrigin()
  const query = {
    fields: 'id,input_modalities,output_modalities,is_free,pricing_credits,context_length',
  }
  const catalog = useAsk('GET /v1/catalog', { query }, { staleTime: 300_000 })
  const models: Facts[] = [...(catalog.data?.data ?? [])].sort(byPrice)
  const find = (output: string, input: string) =>
    models.find(
      (model) =>
        !model.is_free &&
        model.output_modalities.includes(output) &&
        model.input_modalities.includes(input),
    )
  const idOf = (output: string, input: string) => find(output, input)?.id ?? 'MODEL'
  return {
    origin,
    context: find('text', 'text')?.context_length ?? 200_000,
    model: {
      text: idOf('text', 'text'),
      vision: idOf('text', 'image'),
      document: idOf('text', 'file'),
      image: idOf('image', 'text'),
      transcription: idOf('transcription', 'audio'),
      speech: idOf('speech', 'text'),
      video: idOf('video', 'text'),
    },
  }
}
