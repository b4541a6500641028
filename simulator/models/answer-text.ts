export type Language = 'sw' | 'en'

/** Frequent words by which the language of a short text is recognised. */
const SWAHILI =
  /\b(habari|jambo|asante|tafadhali|naitwa|jina|langu|yangu|wangu|nini|gani|vipi|je|na|ya|wa|la|za|kwa|ni|mimi|wewe|yeye|sisi|leo|kesho|jana|nina|nataka|naomba|shilingi|pesa|malipo|salio|bei|mji|nchi|eleza|andika|niambie|ngapi|wapi|kiasi|kumbukumbu|tanzania|kiswahili|elfu|mia)\b/giu
const ENGLISH =
  /\b(the|is|are|was|what|who|how|why|where|when|please|my|your|name|and|of|to|for|with|hello|hi|thanks|write|tell|explain|i|you|it|in|on|that|this|do|does|can|english)\b/giu

export function languageOf(text: string): Language {
  const swahili = text.match(SWAHILI)?.length ?? 0
  const english = text.match(ENGLISH)?.length ?? 0
  return swahili > english ? 'sw' : 'en'
}

/** The language of the prompt, unless a system instruction names another. */
export function answerLanguage(system: string, prompt: string): Language {
  if (/\b(in|kwa)\s+(english|kiingereza)\b/i.test(system)) return 'en'
  if (/\b(in|kwa)\s+(kiswahili|swahili)\b/i.test(system)) return 'sw'
  return languageOf(prompt)
}

/** A plausible answer in the prompt's language that repeats its names, amounts and references. */
export function composeText(prompt: string, language: Language, attachments: string[]): string {
  const facts = factsOf(prompt)
  const question = quote(prompt)
  const parts =
    language === 'sw'
      ? [
          facts.name ? `Habari ${facts.name}!` : 'Habari!',
          attachments.length > 0 ? `Nimepokea ${attachments.join(', ')}.` : '',
          question ? `Umeuliza: "${question}".` : '',
          facts.amounts.length > 0 ? `Kiasi kilichotajwa ni ${facts.amounts.join(' na ')}.` : '',
          facts.references.length > 0 ? `Kumbukumbu: ${facts.references.join(', ')}.` : '',
          'Hili ni jibu la majaribio kutoka kwa modeli ya kuiga; karibu tena.',
        ]
      : [
          facts.name ? `Hello ${facts.name}!` : 'Hello!',
          attachments.length > 0 ? `I received ${attachments.join(', ')}.` : '',
          question ? `You asked: "${question}".` : '',
          facts.amounts.length > 0 ? `The amount mentioned is ${facts.amounts.join(' and ')}.` : '',
          facts.references.length > 0 ? `Reference: ${facts.references.join(', ')}.` : '',
          'This is a trial answer from a simulated model; ask me anything else.',
        ]
  return parts.filter((part) => part !== '').join(' ')
}

export function factsOf(prompt: string) {
  const text = prompt.slice(0, 4_000)
  const introduced =
    /\b(?:naitwa|jina langu ni|my name is|i am|i'm|mimi ni)\s+(\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)*)/iu
  const amounts = text.match(/\b(?:TZS|TSh|Sh|USD|\$)\.?\s?\d[\d,.]*\d|\b\d[\d,.]*\d\/=/giu) ?? []
  const references = text.match(/\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6,20}\b/g) ?? []
  return { name: introduced.exec(text)?.[1], amounts, references }
}

export function quote(prompt: string): string {
  const line = prompt.replaceAll(/\s+/g, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}
