import { readTraceparent, type RequestTrace, type Tracer } from '../lib/telemetry/trace.ts'

/** Where no traces are kept, a caller's `traceparent` still reaches the upstream, as it is. */
export const passOn: Tracer = {
  begins: false,
  request(header): RequestTrace | undefined {
    const traceparent = readTraceparent(header)
    if (traceparent === undefined) return undefined
    return {
      step: () => ({ end() {} }),
      attempt: () => ({ traceparent, firstToken() {}, end() {} }),
      answered() {},
      end() {},
    }
  },
}
