import { anthropic } from './anthropic/provider.ts'
import type { Provider } from './contract/contract.ts'
import { createGemini } from './gemini/provider.ts'
import { openai } from './openai/provider.ts'
import { openrouter } from './openrouter/provider.ts'

/** The only place that knows a provider by its name. */
export const PROVIDERS = {
  openrouter,
  openai,
  anthropic,
  gemini: createGemini(),
} satisfies Record<string, Provider>

export type ProviderType = keyof typeof PROVIDERS
