import { startApp } from '../support/app.ts'
import { assertAgreement } from '../support/money/agreement.ts'
import { noHolds } from '../support/money/no-holds.ts'
import type { Outcome } from './suite.ts'

export type Service = Awaited<ReturnType<typeof startApp>> & {
  /** What OpenAI's SDKs are given. */
  base: string
  key: string
  token: string
}

/** The whole service on loopback with a customer who can pay; its books are audited afterwards. */
export async function withService(
  use: (service: Service) => Promise<Outcome[]>,
  options: Parameters<typeof startApp>[0] = {},
): Promise<Outcome[]> {
  const app = await startApp(options)
  try {
    const { key, token } = await app.customer('1000000')
    const outcomes = await use({ ...app, base: `${app.url}/v1`, key, token })
    await noHolds(app)
    await assertAgreement(app.db)
    return outcomes
  } finally {
    await app.close()
  }
}
