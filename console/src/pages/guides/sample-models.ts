import type { Model } from '../../catalog/models.ts'
import { byPrice } from '../../catalog/prices.ts'
import { useOrigin } from '../../client/origin.ts'
import { useAsk } from '../../client/use-ask.ts'

type Wanted = 'text' | 'vision' | 'image' | 'transcription' | 'speech' | 'video'
type Facts = Pick<
  Model,
  'id' | 'input_modalities' | 'output_modalities' | 'is_free' | 'pricing_credits'
>

/** This service's address, and its cheapest model for each use: samples run as they stand. */
export function useSampleFacts(): { origin: string; model: Record<Wanted, string> } {
  const origin = useOrigin()
  const query = { fields: 'id,input_modalities,output_modalities,is_free,pricing_credits' }
  const catalog = useAsk('GET /v1/catalog', { query }, { staleTime: 300_000 })
  const models: Facts[] = [...(catalog.data?.data ?? [])].sort(byPrice)
  const find = (output: string, input: string) =>
    models.find(
      (model) =>
        !model.is_free &&
        model.output_modalities.includes(output) &&
        model.input_modalities.includes(input),
    )?.id ?? 'MODEL'
  return {
    origin,
    model: {
      text: find('text', 'text'),
      vision: find('text', 'image'),
      image: find('image', 'text'),
      transcription: find('transcription', 'audio'),
      speech: find('speech', 'text'),
      video: find('video', 'text'),
    },
  }
}
