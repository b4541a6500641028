import type { Answer } from '../../../client/ask.ts'

export type Overview = Answer<'GET /v1/operator/overview'>['data']
