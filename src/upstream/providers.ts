import { anthropic } from './anthropic.ts'
import type { Provider } from './contract.ts'
import { createGemini } from './gemini.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'

/** The only place that knows a provider by its name. */
export const PROVIDERS = {
  openrouter,
  openai,
  anthropic,
  gemini: createGemini(),
} satisfies Record<string, Provider>

export type ProviderType = keyof typeof PROVIDERS
