import { Sample } from '../../parts/sample.tsx'
import { useWords, words } from '../../words/language.tsx'
import { Guide, GuideStep } from './guide.tsx'
import { useSampleFacts, type SampleFacts } from './sample-models.ts'

const agentWords = words({
  sw: {
    before: 'Kabla ya kuanza',
    beforeSay:
      'Wasaidizi hawa hutuma maombi mengi na marefu: chagua modeli kwa bei, na tengeneza ufunguo wake peke yake ili uone gharama zake. Weka ufunguo kwenye `MLANGO_KEY`.',
    claude: 'Claude Code',
    claudeSay:
      'Inatumia muundo wa Anthropic: anwani **bila** `/v1`. Modeli ya Haiku hufanya kazi za pembeni: weka nafuu zaidi. Utafutaji wake wa wavuti haufanyi kazi hapa.',
    codex: 'Codex',
    codexSay: 'Weka kwenye `~/.codex/config.toml`, kisha anza `codex`.',
    opencode: 'opencode',
    opencodeSay:
      'Weka kwenye `opencode.json` ya mradi wako. `@ai-sdk/anthropic` pia inafanya kazi kwa anwani ile ile.',
    others: 'Nyingine',
    othersSay: `| Programu | Muundo | Anwani |
|---|---|---|
| Claude Code, SDK za Anthropic | Messages | \`HOST\` |
| AI SDK (\`anthropic\`) | Messages | \`HOST/v1\` |
| Codex, Agents SDK, AI SDK (\`openai\`) | Responses | \`HOST/v1\` |
| SDK za OpenAI, AI SDK (\`openai-compatible\`), LangChain | chat | \`HOST/v1\` |`,
    context: 'Urefu wa muktadha upo kwenye `context_length` ya modeli, `GET /v1/models`.',
  },
  en: {
    before: 'Before you begin',
    beforeSay:
      'These agents send many long requests: choose a model by its price, and create a key of its own so that you see what it costs. Put the key into `MLANGO_KEY`.',
    claude: 'Claude Code',
    claudeSay:
      'It speaks Anthropic’s format: the address **without** `/v1`. The Haiku model works in the background: choose a cheaper one. Its web search is not run here.',
    codex: 'Codex',
    codexSay: 'Put this into `~/.codex/config.toml`, then start `codex`.',
    opencode: 'opencode',
    opencodeSay:
      'Put this into `opencode.json` of your project. `@ai-sdk/anthropic` works too, with the same address.',
    others: 'Others',
    othersSay: `| Program | Format | Address |
|---|---|---|
| Claude Code, Anthropic’s SDKs | Messages | \`HOST\` |
| AI SDK (\`anthropic\`) | Messages | \`HOST/v1\` |
| Codex, Agents SDK, AI SDK (\`openai\`) | Responses | \`HOST/v1\` |
| OpenAI’s SDKs, AI SDK (\`openai-compatible\`), LangChain | chat | \`HOST/v1\` |`,
    context: 'The length of the context is `context_length` of the model, `GET /v1/models`.',
  },
})

export default function Page() {
  const words = useWords(agentWords)
  const facts = useSampleFacts()
  const { origin } = facts
  return (
    <Guide name="coding-agents">
      <GuideStep title={words.before} text={words.beforeSay} />
      <GuideStep title={words.claude} text={words.claudeSay}>
        <Sample label={words.claude} tabs={[{ name: 'bash', code: claudeCode(facts) }]} />
      </GuideStep>
      <GuideStep title={words.codex} text={words.codexSay}>
        <Sample label={words.codex} tabs={[{ name: 'config.toml', code: codex(facts) }]} />
      </GuideStep>
      <GuideStep title={words.opencode} text={words.opencodeSay}>
        <Sample label={words.opencode} tabs={[{ name: 'opencode.json', code: opencode(facts) }]} />
      </GuideStep>
      <GuideStep
        title={words.others}
        text={`${words.othersSay.replaceAll('HOST', origin)}\n\n${words.context}`}
      />
    </Guide>
  )
}

const claudeCode = ({ origin, model, context }: SampleFacts) => `export ANTHROPIC_BASE_URL=${origin}
export ANTHROPIC_AUTH_TOKEN=$MLANGO_KEY
export ANTHROPIC_API_KEY=""
export ANTHROPIC_MODEL=${model.text}
export ANTHROPIC_DEFAULT_OPUS_MODEL=${model.text}
export ANTHROPIC_DEFAULT_SONNET_MODEL=${model.text}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${model.text}
export CLAUDE_CODE_MAX_CONTEXT_TOKENS=${context}
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
claude`

const codex = ({ origin, model, context }: SampleFacts) => `model = "${model.text}"
model_provider = "mlango"
model_context_window = ${context}

[model_providers.mlango]
name = "Mlango"
base_url = "${origin}/v1"
env_key = "MLANGO_KEY"
wire_api = "responses"`

const opencode = ({ origin, model }: SampleFacts) => `{
  "provider": {
    "mlango": {
      "npm": "@ai-sdk/openai",
      "options": {
        "baseURL": "${origin}/v1",
        "apiKey": "{env:MLANGO_KEY}"
      },
      "models": { "${model.text}": {} }
    }
  }
}`
