/**
 * By which name a chat limits its answer. Newer models of OpenAI's take only the newer name; most
 * others know the older one.
 */
export function limitField({
  supportedParameters,
}: {
  supportedParameters: readonly string[]
}): 'max_tokens' | 'max_completion_tokens' {
  const knows = (name: string) => supportedParameters.includes(name)
  return knows('max_completion_tokens') && !knows('max_tokens')
    ? 'max_completion_tokens'
    : 'max_tokens'
}
