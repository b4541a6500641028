import { MESSAGES } from '../anthropic/passing.ts'
import { from, ours, type Passing } from '../contract/passing.ts'
import { CACHE_MARK } from '../contract/passing-chat.ts'
import { CHAT } from '../openai/passing.ts'
import { RESPONSES } from '../openai/passing-responses.ts'

/* Sessions keep a conversation at one provider, so that its prompt caches are hit. */

export const OPENROUTER_CHAT: Passing = {
  fields: {
    ...CHAT.fields,
    ...from('OpenRouter, chat reference', 'session_id', { cache_control: CACHE_MARK }),
  },
}

export const OPENROUTER_MESSAGES: Passing = {
  fields: { ...MESSAGES.fields, ...from('OpenRouter, Messages', 'session_id') },
}

export const OPENROUTER_RESPONSES: Passing = {
  fields: { ...RESPONSES.fields, ...from('OpenRouter, Responses', 'session_id') },
}

/** Everything passes but what chooses who is asked, and addresses that are called back. */
export const OPENROUTER_VIDEO: Passing = {
  rest: 'any',
  fields: ours(
    'model prompt user models route provider plugins transforms preset callback_url usage service_tier safety_identifier session_id metadata store debug trace stream stream_options',
  ),
}
