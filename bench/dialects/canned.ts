/** What an upstream says: as a whole, and as the events of a stream. */
export type CannedAnswer = { whole: string; events: string[] }

const PIECES = Array.from({ length: 20 }, (_, n) => `${n} `)
const TEXT = 'Habari! Naweza kukusaidia na nini leo? '.repeat(8)
const [INPUT, OUTPUT] = [42, 20]

/** One answer in each dialect, with the same text and the same counts. */
export const CANNED: Record<string, CannedAnswer> = {
  '/chat/completions': chatAnswer(),
  '/messages': message(),
  '/responses': response(),
}

function chatAnswer(): CannedAnswer {
  const names = { id: 'gen-1741273890-bench', provider: 'Bench', model: 'bench/chat' }
  const created = 1_741_273_890
  const usage = {
    prompt_tokens: INPUT,
    completion_tokens: OUTPUT,
    total_tokens: INPUT + OUTPUT,
    cost: 0.0000213,
    prompt_tokens_details: { cached_tokens: 0 },
  }
  const chunk = (choices: object[], more: object = {}) =>
    data({ ...names, object: 'chat.completion.chunk', created, choices, ...more })
  const choice = (content: string, finish: string | null) => ({
    index: 0,
    delta: { role: 'assistant', content },
    finish_reason: finish,
    native_finish_reason: finish,
    logprobs: null,
  })
  const said = { role: 'assistant', content: TEXT, refusal: null, reasoning: null }
  const choices = [{ index: 0, message: said, finish_reason: 'stop', logprobs: null }]
  return {
    whole: JSON.stringify({ ...names, object: 'chat.completion', created, choices, usage }),
    events: [
      chunk([choice('', null)]),
      ...PIECES.map((piece) => chunk([choice(piece, null)])),
      `${chunk([choice('', 'stop')])}${chunk([], { usage })}data: [DONE]\n\n`,
    ],
  }
}

function message(): CannedAnswer {
  const usage = {
    input_tokens: INPUT,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: OUTPUT,
  }
  const begun = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'bench', usage }
  const stop = { stop_reason: 'end_turn', stop_sequence: null }
  const started = { ...begun, content: [], stop_reason: null, stop_sequence: null }
  const index = 0
  const start = { type: 'content_block_start', index, content_block: { type: 'text', text: '' } }
  return {
    whole: JSON.stringify({ ...begun, content: [{ type: 'text', text: TEXT }], ...stop }),
    events: [
      event({ type: 'message_start', message: started }) + event(start),
      ...PIECES.map((text) =>
        event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }),
      ),
      event({ type: 'content_block_stop', index }) +
        event({ type: 'message_delta', delta: stop, usage: { output_tokens: OUTPUT } }) +
        event({ type: 'message_stop' }),
    ],
  }
}

function response(): CannedAnswer {
  const item = (text: string, status: string) => ({
    id: 'msg_bench',
    type: 'message',
    status,
    role: 'assistant',
    content: status === 'in_progress' ? [] : [part(text)],
  })
  const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })
  const usage = {
    input_tokens: INPUT,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: OUTPUT,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: INPUT + OUTPUT,
  }
  const made = (status: string, output: object[]) => ({
    id: 'resp_bench',
    object: 'response',
    created_at: 1_741_273_890,
    status,
    model: 'bench',
    output,
    error: null,
    incomplete_details: null,
    usage: status === 'completed' ? usage : null,
  })
  const place = { item_id: 'msg_bench', output_index: 0, content_index: 0 }
  const text = PIECES.join('')
  const named = (type: string, more: object, sequence_number: number) =>
    event({ type: `response.${type}`, sequence_number, ...more })
  const begun = { response: made('in_progress', []) }
  const end = PIECES.length + 4
  return {
    whole: JSON.stringify(made('completed', [item(TEXT, 'completed')])),
    events: [
      named('created', begun, 0) +
        named('in_progress', begun, 1) +
        named('output_item.added', { output_index: 0, item: item('', 'in_progress') }, 2) +
        named('content_part.added', { ...place, part: part('') }, 3),
      ...PIECES.map((delta, n) => named('output_text.delta', { ...place, delta }, n + 4)),
      named('output_text.done', { ...place, text }, end) +
        named('content_part.done', { ...place, part: part(text) }, end + 1) +
        named('output_item.done', { output_index: 0, item: item(text, 'completed') }, end + 2) +
        named('completed', { response: made('completed', [item(text, 'completed')]) }, end + 3),
    ],
  }
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function event(value: { type: string; [name: string]: unknown }): string {
  return `event: ${value.type}\n${data(value)}`
}
