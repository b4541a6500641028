import { from, ours, plain, type Passing } from '../contract/passing.ts'
import { MESSAGE, RESPONSE_FORMAT, TOOL_CHOICE, TOOLS } from '../contract/passing-chat.ts'

/** Only what request.ts reads: the rest of a chat has no place there. */
export const CHAT_AS_CONTENTS: Passing = {
  ifListed: new Set(),
  fields: from(
    'request.ts',
    ours('model stream stream_options usage user'),
    'frequency_penalty max_completion_tokens max_tokens modalities n presence_penalty',
    'reasoning_effort seed stop temperature top_k top_p',
    {
      messages: MESSAGE,
      reasoning: plain('effort'),
      response_format: RESPONSE_FORMAT,
      tools: TOOLS,
      tool_choice: TOOL_CHOICE,
    },
  ),
}

/** Only what embeddings.ts reads. */
export const EMBEDDINGS_AS_CONTENTS: Passing = {
  ifListed: new Set(),
  fields: from('embeddings.ts', ours('model user encoding_format'), 'dimensions', { input: 'any' }),
}
