/*
 * The registry, and the only place with providers' names: each is a `type` in UPSTREAMS_FILE. A
 * provider is a folder and a line here.
 */

export { anthropic } from './anthropic/provider.ts'
export { gemini } from './gemini/provider.ts'
export { openai } from './openai/provider.ts'
export { openrouter } from './openrouter/provider.ts'
