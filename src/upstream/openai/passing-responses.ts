import { Kinds, type Members } from '../../lib/json.ts'
import { from, ours, plain, type Passing } from '../contract/passing.ts'

/* What passes to upstreams that speak Responses: OpenAI's reference of them. */

const TEXT = plain('text')
const THOUGHTS = { summary_text: TEXT, reasoning_text: TEXT }
const PARTS = new Kinds({
  ...THOUGHTS,
  text: TEXT,
  input_text: TEXT,
  output_text: {
    text: 'plain',
    annotations: new Kinds({ url_citation: plain('url title start_index end_index') }),
    logprobs: 'any',
  },
  refusal: plain('refusal'),
  input_image: plain('image_url detail'),
  input_file: plain('filename file_data file_url'),
  input_audio: { input_audio: plain('data format') },
})

/** `ofEach` is what else passes of each tool. */
function toolsOf(ofEach: Members, more: { [type: string]: Members }): Kinds {
  const called = {
    function: { ...plain('name description strict'), parameters: 'any' as const, ...ofEach },
    custom: { ...plain('name description'), format: plain('type syntax definition'), ...ofEach },
  }
  const namespace = { ...plain('name description'), tools: new Kinds(called) }
  return new Kinds({ ...called, namespace, ...more })
}

const FORMAT = { ...plain('type name description strict'), schema: 'any' } as const
const OUTPUT = { ...plain('call_id status'), output: PARTS }
const CHOSEN = { ...plain('name namespace'), function: plain('name') }

function itemsWith(tools: Kinds, more: { [type: string]: Members }): Kinds {
  return new Kinds(
    {
      message: { ...plain('role status phase'), content: PARTS },
      function_call: plain('call_id name namespace arguments status'),
      custom_tool_call: plain('call_id name namespace input status'),
      function_call_output: OUTPUT,
      custom_tool_call_output: OUTPUT,
      reasoning: {
        ...plain('encrypted_content status'),
        summary: new Kinds(THOUGHTS),
        content: new Kinds(THOUGHTS),
      },
      additional_tools: { role: 'plain', tools },
      configuration_update: { reasoning: plain('effort'), text: { format: FORMAT } },
      ...more,
    },
    'message',
  )
}

function fieldsWith(tools: Kinds, items: { [type: string]: Members }): Members {
  return from(
    'OpenAI, responses reference',
    ours('model stream user store metadata previous_response_id'),
    'instructions max_output_tokens temperature top_p top_logprobs parallel_tool_calls include',
    'prompt_cache_key',
    {
      input: itemsWith(tools, items),
      tools,
      tool_choice: new Kinds({
        function: CHOSEN,
        custom: CHOSEN,
        allowed_tools: { mode: 'plain', tools: new Kinds({ function: CHOSEN, custom: CHOSEN }) },
      }),
      text: { format: FORMAT, verbosity: 'plain' },
      reasoning: plain('effort summary generate_summary context'),
    },
  )
}

/** Of servers that have no search among the caller's tools: there all tools are loaded. */
export const RESPONSES: Passing = { fields: fieldsWith(toolsOf({}, {}), {}) }

const SEARCHED = toolsOf(plain('defer_loading'), {
  tool_search: { ...plain('description execution'), parameters: 'any' },
})
const OF_SEARCH = plain('call_id execution status')

/** That search has no price of its own. */
export const SEARCHED_RESPONSES: Passing = {
  fields: fieldsWith(SEARCHED, {
    tool_search_call: { ...OF_SEARCH, arguments: 'any' },
    tool_search_output: { ...OF_SEARCH, tools: SEARCHED },
  }),
}
