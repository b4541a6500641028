import { Sample } from '../../parts/sample.tsx'
import { curlOf } from '../../samples/curl.ts'
import { useWords, words } from '../../words/language.tsx'
import { useFacts } from '../../catalog/rate.ts'
import { Guide, GuideStep } from './guide.tsx'
import { useSampleFacts } from './sample-models.ts'

const streamingWords = words({
  sw: {
    ask: 'Omba mtiririko',
    askSay: 'Weka `"stream": true`. Jibu linakuja vipande vipande kama server-sent events.',
    prompt: 'Andika shairi fupi kuhusu bahari.',
    events: 'Kinachokuja',
    eventsSay:
      'Kila mstari wa `data:` ni kipande cha JSON; maandishi yapo kwenye `choices[0].delta.content`. Mistari inayoanza na `:` inaweka njia wazi tu, iruke. Mwisho ni `data: [DONE]`.\n\nUkitaka idadi ya tokeni mwishoni, ongeza `"stream_options": {"include_usage": true}`.',
    broken: 'Likikatika',
    brokenSay:
      'Hitilafu baada ya kuanza inakuja kama `data: {"error": …}`, na mtiririko unaisha bila `[DONE]`. Jibu la namna hiyo halikukamilika, na **hukutozwa**.\n\nPia hutozwi jibu ambalo modeli imelitoa lakini halitumiki, kwa mfano ombi la picha lililojibiwa bila picha. Lakini thamani yake inahesabiwa kwenye kikomo kilichoelezwa hapa chini: kikomo kikiisha, maombi mengine ya aina hiyo yanajibiwa `429` pamoja na `Retry-After`. Mitiririko haihusiki.',
    leave: 'Kusimamisha jibu',
    leaveSay: (free: number) =>
      `Funga muunganisho: ukiwa ndani ya kikomo chako (hapa chini), modeli inasimamishwa ndani ya sekunde moja, krediti zilizoshikiliwa zinarudi, na **hutozwi**, hata jibu liwe na thamani gani; majibu yasiyosimamishwa yametajwa mwishoni. Programu ikifungwa au mtandao ukikatika, ni sawa na kusimamisha. Jibu ambalo modeli ilikuwa imeshalikamilisha linatozwa.

**Kikomo.** Ndani ya saa 24 zozote, akaunti yako inaweza kusimamisha bila malipo majibu yenye thamani ya krediti ${free}, pamoja na sehemu moja ya kumi ya ulichotumia siku 30 zilizopita. Jibu lililosimamishwa linahesabiwa kwa thamani liliyokuwa limefikia, pamoja na ombi lenyewe. Jibu litakalofanya jumla izidi kikomo halisimamishwi: linaendelea hadi mwisho na **linatozwa** lote, bila kuhesabiwa kwenye kikomo. Mwenye akaunti anajulishwa, si zaidi ya mara moja kwa siku. Maombi mapya hayakataliwi kwa sababu umesimamisha majibu, na modeli za bure hazihusiki.

Mfano: umetumia krediti 500 kwa siku 30, hivyo kikomo chako ni krediti ${free + 50}. Kila jibu ulilosimamisha lilipofikia krediti 10 linahesabiwa kuwa krediti 10: ${Math.floor((free + 50) / 10)} ndani ya saa 24 ni bure, linalofuata linatozwa lote, kwa bei ya jibu lililokamilika.

Majibu haya huendelea hadi mwisho hata ukifunga muunganisho: ombi lisilo la mtiririko lenye \`Idempotency-Key\`, ambalo linatozwa, na ufunguo uleule hukupa jibu lake; na jibu kuhusu video au waraka uliotumwa kwa kiungo, ambalo linatozwa tu likizidi kikomo. Siku ambayo akaunti ambazo hazijawahi kuongeza salio zimesimamisha, kwa jumla, majibu ya thamani kubwa kupita kiasi, akaunti hizo hazina kiasi cha kusimamisha bila malipo hadi saa sita usiku UTC (saa tisa usiku Afrika Mashariki).`,
  },
  en: {
    ask: 'Ask for a stream',
    askSay: 'Set `"stream": true`. The answer comes in pieces, as server-sent events.',
    prompt: 'Write a short poem about the sea.',
    events: 'What comes',
    eventsSay:
      'Each line of `data:` is a piece of JSON; its text is in `choices[0].delta.content`. Lines that begin with `:` only keep the connection open, skip them. The end is `data: [DONE]`.\n\nFor the number of tokens at the end add `"stream_options": {"include_usage": true}`.',
    broken: 'If it breaks off',
    brokenSay:
      'A failure after the beginning comes as `data: {"error": …}`, and the stream ends without `[DONE]`. Such an answer is not complete, and you were **not charged**.\n\nNor are you charged for an answer that the model made and nobody can use, such as an image call that brings no picture. But its worth counts towards the allowance below: once that is used up, more calls of the same kind are answered `429`, with `Retry-After`. Streams are not affected.',
    leave: 'Stopping an answer',
    leaveSay: (free) =>
      `Close the connection: within your allowance (below) the model is stopped within a second, the reserved credits come back, and you are **not charged**, whatever the answer was worth; the answers that are not stopped are named at the end. An app that is closed or a network that is lost is a stop too. An answer that the model had already finished is charged.

**The allowance.** In any 24 hours your account may stop answers worth ${free} credits free of charge, plus a tenth of what it spent in the last 30 days. A stopped answer counts with what it had come to by then, its prompt included. One that would take the sum beyond the allowance is not stopped: it runs to its end and **is charged** in full, and does not count. The owner is told of that, at most once a day. New requests are never refused because you stopped answers, and free models are not affected.

For example: you spent 500 credits in 30 days, so your allowance is ${free + 50} credits. An answer that you stop when it has come to 10 credits counts as 10: ${Math.floor((free + 50) / 10)} of them in 24 hours are free, and the next one is charged in full, as the finished answer.

Some answers run to their end although you close the connection: a call without a stream that has an \`Idempotency-Key\`, which is charged, and the same key gives you its answer; and an answer about a linked video or document, which is charged only beyond the allowance. On a day when accounts that never topped up have together stopped answers worth too much, these accounts have no allowance until midnight UTC (03:00 in East Africa).`,
  },
})

const EVENTS = `data: {"id":"chatcmpl-…","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Bahari"},"finish_reason":null}]}

data: {"id":"chatcmpl-…","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]`

/** Until the service has said. */
const USUAL_FREE_CREDITS = 100

export default function Page() {
  const words = useWords(streamingWords)
  const { origin, model } = useSampleFacts()
  const free = useFacts().data?.data.unpaid_credits ?? USUAL_FREE_CREDITS
  return (
    <Guide name="streaming" tryAt="/app/try/chat">
      <GuideStep title={words.ask} text={words.askSay}>
        <Sample label={words.ask} tabs={samples(origin, model.text, words.prompt)} />
      </GuideStep>
      <GuideStep title={words.events} text={words.eventsSay}>
        <Sample label={words.events} tabs={[{ name: 'SSE', code: EVENTS }]} />
      </GuideStep>
      <GuideStep title={words.broken} text={words.brokenSay} />
      <GuideStep title={words.leave} text={words.leaveSay(free)} />
    </Guide>
  )
}

function samples(origin: string, model: string, prompt: string) {
  const body = { model, stream: true, messages: [{ role: 'user', content: prompt }] }
  return [
    {
      name: 'curl',
      code: curlOf(origin, { path: '/v1/chat/completions', body, answer: 'stream' }),
    },
    {
      name: 'Python',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["MLANGO_KEY"])
stream = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${prompt}"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
    },
    {
      name: 'JavaScript',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.MLANGO_KEY })
const stream = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: '${prompt}' }],
  stream: true,
})
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')
}
// stream.controller.abort() closes the connection.`,
    },
  ]
}
