/**
 * Loaded before the Portkey gateway. It adds headers to the streams it passes on, and with the web
 * framework's release that is installed here those headers cannot be changed: every stream would
 * be a 500. A copy that can be changed mends it, at a cost of microseconds per stream.
 */
const { fetch } = globalThis
globalThis.fetch = async (...asked) => {
  const answer = await fetch(...asked)
  if (answer.headers.get('content-type') === 'text/event-stream') {
    Object.defineProperty(answer, 'headers', { value: new Headers(answer.headers) })
  }
  return answer
}
