import { anthropic } from './anthropic/provider.ts'
import type { Provider } from './contract/contract.ts'
import { gemini } from './gemini/provider.ts'
import { openai } from './openai/provider.ts'
import { openrouter } from './openrouter/provider.ts'

/** The only place that knows a provider by its name: these are the types a file may give. */
export const PROVIDERS = {
  openrouter,
  openai,
  anthropic,
  gemini,
} satisfies Record<string, Provider>

export type ProviderType = keyof typeof PROVIDERS
