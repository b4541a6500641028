/* Names of OpenTelemetry's conventions for generative AI. */

/** What an attempt does, where the conventions have a word for it. */
export function operationOf(work: string): string {
  return OPERATIONS[work] ?? work
}

export function providerOf(type: string): string {
  return PROVIDERS[type] ?? type
}

const OPERATIONS: Record<string, string> = { chatStream: 'chat', image: 'generate_content' }
const PROVIDERS: Record<string, string> = { gemini: 'gcp.gemini' }
