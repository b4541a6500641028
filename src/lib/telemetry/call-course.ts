import type { CallSignal } from './trace.ts'

/** How a call to the upstreams went, filled in while it runs. */
export type CallCourse = {
  beganMs: number
  /** How many upstreams were asked. */
  attempts: number
  /** The last one. */
  upstream?: string
  /** From the beginning to the first event of a stream. */
  firstByteMs?: number
  /** The caller's fields that the last one was not given. */
  leftOut?: ReadonlySet<string>
}

/** What a call to the upstreams is to know beside the request itself. */
export type Asking = { signal?: CallSignal | undefined; course?: CallCourse | undefined }
