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
      `Funga muunganisho: ukiwa ndani ya kikomo chako, modeli inasimamishwa ndani ya sekunde moja, krediti zilizoshikiliwa zinarudi, na **hutozwi**. Programu ikifungwa au mtandao ukikatika, ni sawa na kusimamisha. Jibu ambalo modeli ilikuwa imeshalikamilisha linatozwa, hata kama halikukufikia lote.

**Kikomo** cha akaunti ni krediti ${free}, pamoja na sehemu moja ya kumi ya ulichotozwa siku 30 zilizopita, ndani ya saa 24 zozote. Jibu lililosimamishwa linatumia thamani liliyokuwa limefikia: ombi lenyewe na maandishi yaliyokuwa yametoka. Jibu litakalofanya jumla izidi kikomo halisimamishwi: linaendelea hadi mwisho na **linatozwa** kama jibu lolote lililokamilika. Halitumii kikomo, kwa hiyo jibu dogo zaidi bado linaweza kusimamishwa bure. Mwenye akaunti anapata taarifa, si zaidi ya mara moja kwa siku. Kusimamisha hakusababishi ombi kukataliwa, na kusimamisha jibu la modeli ya bure hakutumii kikomo.

Mfano: umetozwa krediti 500 kwa siku 30, hivyo kikomo chako ni krediti ${free + 50}. Kila jibu ulilosimamisha lilipofikia krediti 10 linatumia 10: ${Math.floor((free + 50) / 10)} ndani ya saa 24 ni bure. Linalofuata linaendelea hadi mwisho, na bei yake ni ya jibu lililokamilika.

Aina mbili za maombi huendelea hadi mwisho hata ukifunga muunganisho: ombi lisilo la mtiririko lenye \`Idempotency-Key\` linatozwa, na ufunguo uleule hukupa jibu lake kwa saa 24; na jibu kuhusu video au waraka uliotumwa kwa kiungo, linalotumia thamani yake yote, linatozwa tu likizidi kikomo. Siku ambayo akaunti ambazo hazijawahi kuongeza salio zimeacha, kwa jumla, thamani kubwa sana bila kulipwa, akaunti hizo hazina kikomo cha bure hadi saa sita usiku UTC (saa tisa usiku Afrika Mashariki).`,
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
      'A failure after the beginning comes as `data: {"error": …}`, and the stream ends without `[DONE]`. Such an answer is not complete, and you were **not charged**.\n\nNor are you charged for an answer that nobody can use, such as an image call that brings no picture. What it would have cost uses up the allowance below: once that is used up, more calls of that kind (image calls, say) are answered `429`, with `Retry-After`. Streams are never answered `429` for it.',
    leave: 'Stopping an answer',
    leaveSay: (free) =>
      `Close the connection: within your allowance the model is stopped within a second, the reserved credits come back, and you are **not charged**. An app that is closed, or a connection that is lost, is a stop too. An answer that the model had already finished is charged, also if not all of it reached you.

**The allowance** of an account is ${free} credits, plus a tenth of what it was charged in the last 30 days, in any 24 hours. A stopped answer uses up what it had come to by then: its prompt and the text so far. One that would take the sum beyond the allowance is not stopped: it runs to its end and **is charged** as any finished answer. It uses up nothing, so that a smaller one may still be stopped free of charge. The owner gets a notification of that, at most once a day. Stopping never causes a request to be refused, and stopping an answer of a free model uses up nothing.

For example: you were charged 500 credits in 30 days, so your allowance is ${free + 50} credits. An answer that you stop when it has come to 10 credits uses up 10: ${Math.floor((free + 50) / 10)} of them in 24 hours are free. The next one runs to its end and costs what the finished answer costs.

Two kinds of call run to their end although you close the connection: a call without streaming that has an \`Idempotency-Key\` is charged, and the same key gives you its answer for 24 hours; and an answer about a linked video or document, which uses up all that it came to, is charged only if that goes beyond the allowance. On a day when accounts that never topped up have together left very much unpaid, these accounts have no allowance until midnight UTC (03:00 in East Africa).`,
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
