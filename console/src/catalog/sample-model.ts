import { useAsk } from '../client/use-ask.ts'

/** A model that this service really has, for samples. */
export function useSampleModel(): string | undefined {
  const query = { output_modalities: 'text', fields: 'id', limit: 1 }
  const models = useAsk('GET /v1/catalog', { query }, { staleTime: 300_000 })
  return models.data?.data[0]?.id
}
