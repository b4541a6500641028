import type { Answer } from '../../../client/ask.ts'

export type Upstream = Answer<'GET /v1/operator/upstreams'>['data'][number]
export type UpstreamDialog = { kind: 'drain' | 'undrain' | 'recent'; name: string }
