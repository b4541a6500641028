/*
 * The registry, and the only place that knows a provider by its name: each name is a `type` that
 * UPSTREAMS_FILE may give. A provider is a folder, and a line here.
 */

export { anthropic } from './anthropic/provider.ts'
export { gemini } from './gemini/provider.ts'
export { openai } from './openai/provider.ts'
export { openrouter } from './openrouter/provider.ts'
