import { Kinds } from '../../lib/json.ts'
import { anything, from, ours, plain, type Passing } from '../contract/passing.ts'
import {
  FUNCTION,
  MESSAGE,
  PICTURE_PART,
  RESPONSE_FORMAT,
  TEXT_PART,
  TOOL_CHOICE,
  TOOLS,
} from '../contract/passing-chat.ts'

/* What passes to upstreams that speak OpenAI's formats, except Responses. */

const OPENAI_CHAT = from(
  'OpenAI, chat reference',
  ours('model stream stream_options usage user'),
  'frequency_penalty logprobs max_completion_tokens max_tokens modalities n parallel_tool_calls',
  'presence_penalty prompt_cache_key reasoning_effort seed stop temperature top_logprobs top_p',
  'verbosity',
  {
    messages: MESSAGE,
    logit_bias: 'any',
    tools: TOOLS,
    tool_choice: TOOL_CHOICE,
    functions: FUNCTION,
    function_call: new Kinds({ function: plain('name') }, 'function'),
    response_format: RESPONSE_FORMAT,
    prediction: { type: 'plain', content: new Kinds({ text: TEXT_PART }) },
    audio: plain('voice format'),
  },
)

const SAMPLING = {
  ...from('OpenRouter, parameters', 'top_k top_a min_p repetition_penalty include_reasoning', {
    reasoning: plain('effort max_tokens exclude enabled summary'),
    structured_outputs: 'any',
    image_config: plain('aspect_ratio image_size'),
  }),
  ...from(
    'vLLM, sampling parameters',
    'min_tokens stop_token_ids bad_words ignore_eos skip_special_tokens allowed_token_ids',
    'spaces_between_special_tokens include_stop_str_in_output length_penalty thinking_token_budget',
    'add_generation_prompt continue_final_message guided_regex guided_choice guided_grammar',
    anything('guided_json'),
    { chat_template_kwargs: plain('enable_thinking thinking') },
  ),
  ...from('llama.cpp, server', 'typical_p mirostat mirostat_tau mirostat_eta grammar'),
  ...from('Qwen, chat reference', 'enable_thinking thinking_budget preserve_thinking'),
  ...from('DeepSeek, chat reference', { thinking: plain('type budget_tokens') }),
  ...from('Mistral, chat reference', 'random_seed safe_prompt prompt_mode'),
  ...from('Groq, chat reference', 'reasoning_format'),
}

export const CHAT: Passing = { fields: { ...OPENAI_CHAT, ...SAMPLING } }

export const EMBEDDINGS: Passing = {
  fields: {
    ...from('OpenAI, embeddings reference', ours('model user encoding_format'), 'dimensions', {
      input: 'any',
    }),
    ...from('OpenRouter, embeddings', 'input_type'),
    ...from('vLLM, embeddings', 'truncate_prompt_tokens'),
  },
}

/** Sizes and qualities have their prices in the catalog. */
export const IMAGES: Passing = {
  fields: {
    ...from(
      'OpenAI, images reference',
      ours('model prompt n response_format user stream'),
      'background output_compression output_format quality size style',
    ),
    ...from('OpenRouter, images', 'aspect_ratio resolution seed', {
      input_references: new Kinds({ image_url: PICTURE_PART }),
    }),
    ...from('FLUX and Stable Diffusion', 'negative_prompt guidance_scale'),
  },
}

export const TRANSCRIPTION: Passing = {
  fields: from(
    'OpenAI, transcription reference',
    ours('model file language response_format stream'),
    'prompt temperature timestamp_granularities include chunking_strategy keywords',
  ),
}

export const SPEECH: Passing = {
  fields: from(
    'OpenAI, speech reference',
    ours('model input voice response_format speed stream_format'),
    'instructions',
  ),
}
