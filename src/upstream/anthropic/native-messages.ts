import type { ChatCapability } from '../contract/contract.ts'
import { buildNative, readNative } from './native.ts'
import { NativeReader } from './native-stream.ts'

/** Messages as they were written. */
export const nativeMessages: ChatCapability = {
  build: (request, target) => buildNative(request.native!, request, target),
  read: (answer, request) => readNative(request.native!, answer, request),
  reader: ({ native }) => new NativeReader(native!),
}
