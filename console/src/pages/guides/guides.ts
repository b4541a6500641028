type Both = { sw: string; en: string }
type GuideFacts = { name: string; icon: string; title: Both; description: Both }

/** The guides, in reading order. */
export const GUIDES = [
  {
    name: 'first-call',
    icon: 'spark',
    title: { sw: 'Ombi la kwanza', en: 'Your first call' },
    description: {
      sw: 'Ufunguo, anwani na jibu la kwanza kwa curl, Python au Node.',
      en: 'A key, an address and the first answer with curl, Python or Node.',
    },
  },
  {
    name: 'streaming',
    icon: 'chat',
    title: { sw: 'Jibu linalokuja neno kwa neno', en: 'Streaming' },
    description: {
      sw: 'Onyesha jibu likiandikwa, na usimamishe unapotaka.',
      en: 'Show an answer while it is written, and stop it when you like.',
    },
  },
  {
    name: 'voice',
    icon: 'mic',
    title: { sw: 'Sauti kwa Kiswahili', en: 'Voice in Kiswahili' },
    description: {
      sw: 'Sauti kuwa maandishi, maandishi kuwa sauti, na mazungumzo kwa ombi moja.',
      en: 'Speech to text, text to speech, and a spoken answer in one call.',
    },
  },
  {
    name: 'images-documents',
    icon: 'picture',
    title: { sw: 'Picha na hati', en: 'Pictures and documents' },
    description: {
      sw: 'Chora picha; soma PDF, picha na video.',
      en: 'Make pictures; read PDFs, pictures and videos.',
    },
  },
  {
    name: 'video',
    icon: 'video',
    title: { sw: 'Kutengeneza video', en: 'Making videos' },
    description: {
      sw: 'Agiza, subiri, kisha pakua.',
      en: 'Order, wait, then download.',
    },
  },
  {
    name: 'errors',
    icon: 'warning',
    title: { sw: 'Makosa na maana yake', en: 'Errors and what they mean' },
    description: {
      sw: 'Umbo la makosa, kila namba, na la kufanya.',
      en: 'The shape of errors, every status, and what to do.',
    },
  },
  {
    name: 'retries',
    icon: 'shield',
    title: { sw: 'Kurudia ombi kwa usalama', en: 'Retrying safely' },
    description: {
      sw: 'Idempotency-Key: rudia bila kutozwa mara mbili.',
      en: 'Idempotency-Key: repeat a call without paying twice.',
    },
  },
  {
    name: 'charges',
    icon: 'wallet',
    title: { sw: 'Unavyotozwa', en: 'How you are charged' },
    description: {
      sw: 'Krediti zinavyoshikiliwa, kukatwa na kurudishwa.',
      en: 'How credits are reserved, charged and given back.',
    },
  },
  {
    name: 'coding-agents',
    icon: 'key',
    title: { sw: 'Wasaidizi wa kuandika programu', en: 'Coding agents' },
    description: {
      sw: 'Claude Code, Codex na opencode kupitia Mlango.',
      en: 'Claude Code, Codex and opencode through Mlango.',
    },
  },
] as const satisfies GuideFacts[]

export type GuideName = (typeof GUIDES)[number]['name']

export function guideOf(name: GuideName): (typeof GUIDES)[number] {
  return GUIDES.find((guide) => guide.name === name)!
}
