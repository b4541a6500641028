/**
 * Loaded before the Portkey gateway. It adds headers to the streams it passes on, which the installed
 * release of its web framework does not allow: every stream would be answered 500. A copy of the
 * headers avoids that, at a cost of microseconds per stream.
 */
const { fetch } = globalThis
globalThis.fetch = async (...args) => {
  const answer = await fetch(...args)
  if (answer.headers.get('content-type') === 'text/event-stream') {
    Object.defineProperty(answer, 'headers', { value: new Headers(answer.headers) })
  }
  return answer
}
