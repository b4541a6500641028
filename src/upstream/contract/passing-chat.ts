import { Kinds } from '../../lib/json.ts'
import { from, plain } from './passing.ts'

/* What passes of the messages and the tools of a chat, whichever format it is translated into. */

/** What is written to a cache is reported and has its price, for these lives. */
export const CACHE_MARK = { type: 'plain', ttl: new Set(['5m', '1h']) } as const

export const TEXT_PART = { text: 'plain', cache_control: CACHE_MARK } as const
export const PICTURE_PART = { image_url: plain('url detail'), cache_control: CACHE_MARK }
const VIDEO = { video_url: plain('url'), cache_control: CACHE_MARK }

const PARTS = new Kinds({
  text: TEXT_PART,
  refusal: plain('refusal'),
  image_url: PICTURE_PART,
  video_url: VIDEO,
  input_video: VIDEO,
  input_audio: { input_audio: plain('data format'), cache_control: CACHE_MARK },
  file: { file: plain('filename file_data'), cache_control: CACHE_MARK },
})

const CALL = plain('name arguments')

export const MESSAGE = {
  ...from('OpenAI, chat reference', 'role name tool_call_id refusal', {
    content: PARTS,
    function_call: CALL,
  }),
  ...from('OpenRouter, reasoning and images', 'reasoning', {
    reasoning_details: plain('type text summary data signature format index id'),
    images: { ...plain('type index'), image_url: plain('url') },
  }),
  ...from('Gemini, OpenAI compatibility', {
    tool_calls: {
      ...plain('id type index'),
      function: CALL,
      extra_content: { google: plain('thought_signature') },
    },
  }),
  ...from('DeepSeek and Qwen, chat reference', 'reasoning_content prefix partial'),
}

export const FUNCTION = { ...plain('name description strict'), parameters: 'any' } as const

/** Tools that an upstream would run have their own price. */
export const TOOLS = new Kinds({ function: { function: FUNCTION, cache_control: CACHE_MARK } })

export const TOOL_CHOICE = new Kinds({ function: { function: plain('name') } })

export const RESPONSE_FORMAT = {
  type: 'plain',
  json_schema: { ...plain('name description strict'), schema: 'any' },
} as const
