import type { SampleTab } from '../parts/sample.tsx'

/** The same call three times. */
export function firstCallSamples(origin: string, model = 'sim/hekima'): SampleTab[] {
  const base = `${origin}/v1`
  return [
    {
      name: 'curl',
      code: `curl ${base}/chat/completions \\
  -H "Authorization: Bearer $MLANGO_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Habari ya asubuhi!"}]
  }'`,
    },
    {
      name: 'Python',
      code: `from openai import OpenAI

client = OpenAI(base_url="${base}", api_key="mlg_…")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Habari ya asubuhi!"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      name: 'JavaScript',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${base}', apiKey: 'mlg_…' })
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Habari ya asubuhi!' }],
})
console.log(answer.choices[0].message.content)`,
    },
  ]
}
