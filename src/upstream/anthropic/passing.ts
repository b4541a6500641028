import { Kinds } from '../../lib/json.ts'
import { from, ours, plain, type Passing } from '../contract/passing.ts'
import {
  CACHE_MARK as MARK,
  MESSAGE,
  RESPONSE_FORMAT,
  TOOL_CHOICE,
  TOOLS as FUNCTIONS,
} from '../contract/passing-chat.ts'

/* What passes to upstreams that speak Messages, and of a chat that is translated into it. */

/** Only what request.ts reads: the rest of a chat has no place there. */
export const CHAT_AS_MESSAGES: Passing = {
  // Newer models refuse these.
  ifListed: new Set(['temperature', 'top_k', 'top_p']),
  fields: from(
    'request.ts',
    ours('model stream stream_options usage user'),
    'max_completion_tokens max_tokens n parallel_tool_calls reasoning_effort stop',
    {
      messages: MESSAGE,
      reasoning: plain('effort'),
      response_format: RESPONSE_FORMAT,
      tools: FUNCTIONS,
      tool_choice: TOOL_CHOICE,
    },
  ),
}

const CACHE_MARK = { cache_control: MARK } as const
const CITED = plain(
  'type cited_text document_index document_title start_char_index end_char_index start_page_number end_page_number start_block_index end_block_index search_result_index source title url encrypted_index',
)

const TEXT = { ...CACHE_MARK, text: 'plain', citations: CITED } as const
const SOURCES = {
  base64: plain('media_type data'),
  url: plain('url'),
  text: plain('media_type data'),
}
const IMAGE = { ...CACHE_MARK, source: new Kinds(SOURCES) }
const INNER = new Kinds({ text: TEXT, image: IMAGE })
const DOCUMENT = {
  ...CACHE_MARK,
  ...plain('title context'),
  source: new Kinds({ ...SOURCES, content: { content: INNER } }),
  citations: plain('enabled'),
}
const SEARCH_RESULT = {
  ...CACHE_MARK,
  ...plain('source title'),
  content: new Kinds({ text: TEXT }),
  citations: plain('enabled'),
}
const REFERENCE = plain('tool_name')
const USE = {
  ...CACHE_MARK,
  ...plain('id name toolset_name'),
  input: 'any',
  caller: { type: new Set(['direct']) },
} as const

const BLOCKS = new Kinds({
  text: TEXT,
  image: IMAGE,
  document: DOCUMENT,
  search_result: SEARCH_RESULT,
  thinking: plain('thinking signature'),
  redacted_thinking: plain('data'),
  tool_use: USE,
  tool_result: {
    ...CACHE_MARK,
    ...plain('tool_use_id is_error toolset_name'),
    content: new Kinds({
      text: TEXT,
      image: IMAGE,
      document: DOCUMENT,
      search_result: SEARCH_RESULT,
      tool_reference: REFERENCE,
    }),
  },
  server_tool_use: USE,
  web_search_tool_result: {
    ...CACHE_MARK,
    tool_use_id: 'plain',
    content: new Kinds({
      web_search_result: plain('url title encrypted_content page_age'),
      web_search_tool_result_error: plain('error_code'),
    }),
  },
  tool_search_tool_result: {
    ...CACHE_MARK,
    tool_use_id: 'plain',
    content: new Kinds({
      tool_search_tool_search_result: { tool_references: new Kinds({ tool_reference: REFERENCE }) },
      tool_search_tool_result_error: plain('error_code error_message'),
    }),
  },
})

const OF_TOOLS = {
  ...CACHE_MARK,
  ...plain('name strict defer_loading'),
  input_examples: 'any',
} as const
const SCREEN = {
  ...OF_TOOLS,
  ...plain('display_width_px display_height_px display_number enable_zoom'),
}
const TOOLSET = { ...CACHE_MARK, configs: 'any' } as const
const SEARCH = { ...CACHE_MARK, name: 'plain' } as const

/** Those that the caller runs, and the search among them. */
const TOOLS = new Kinds(
  {
    custom: {
      ...OF_TOOLS,
      ...plain('description eager_input_streaming'),
      input_schema: 'any',
    },
    bash: OF_TOOLS,
    text_editor: { ...OF_TOOLS, max_characters: 'plain' },
    memory: OF_TOOLS,
    computer: SCREEN,
    computer_toolset: TOOLSET,
    browser_toolset: TOOLSET,
    tool_search_tool_regex: SEARCH,
    tool_search_tool_bm25: SEARCH,
  },
  'custom',
)

const FORMAT = { type: 'plain', schema: 'any' } as const
const AMOUNT = plain('type value')

export const MESSAGES: Passing = {
  fields: {
    ...from(
      'Anthropic, Messages reference',
      ours('model stream metadata'),
      'max_tokens temperature top_p top_k stop_sequences',
      {
        messages: { role: 'plain', content: BLOCKS },
        system: new Kinds({ text: TEXT }),
        tools: TOOLS,
        tool_choice: plain('type name disable_parallel_tool_use'),
        thinking: plain('type budget_tokens display'),
        output_config: { effort: 'plain', format: FORMAT },
        ...CACHE_MARK,
      },
    ),
    ...from('Anthropic, beta Messages reference', {
      output_format: FORMAT,
      output_config: {
        effort: 'plain',
        format: FORMAT,
        task_budget: plain('type total remaining'),
      },
      context_management: {
        edits: new Kinds({
          clear_tool_uses: {
            ...plain('clear_tool_inputs exclude_tools'),
            clear_at_least: AMOUNT,
            keep: AMOUNT,
            trigger: AMOUNT,
          },
          clear_thinking: { keep: new Kinds({ thinking_turns: plain('value'), all: {} }) },
        }),
      },
    }),
  },
}

/** Values of `anthropic-beta`, of whatever date. */
const BETAS = {
  'Anthropic, beta headers':
    'prompt-caching extended-cache-ttl pdfs token-counting token-efficient-tools output-128k output-300k max-tokens-3-5-sonnet interleaved-thinking dev-full-thinking thinking-token-count thinking-display-updates context-management model-context-window-exceeded structured-outputs task-budgets effort search-results fine-grained-tool-streaming computer-use advanced-tool-use tool-search-tool tool-examples',
  'Claude Code': 'claude-code adaptive-thinking redact-thinking',
}

const NAMES = new Set(Object.values(BETAS).flatMap((names) => names.split(' ')))
const LONG_CONTEXT = 'context-1m'
const MILLION = 1_000_000
const DATED = /^([a-z0-9-]+)-(?:\d{4}-\d{2}-\d{2}|\d{8})$/

export function betaPasses(beta: string, contextLength: number | undefined): boolean {
  const name = DATED.exec(beta)?.[1] ?? ''
  return name === LONG_CONTEXT ? (contextLength ?? 0) >= MILLION : NAMES.has(name)
}
