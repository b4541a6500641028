import { z } from 'zod'
import { route, type Route } from '../http/route.ts'

export type GatewayHealth = { healthy: boolean; upstreams_total: number; upstreams_healthy: number }

/** How the upstreams are, in sum: no name, no latency. */
export function gatewayHealthRoutes({ health }: { health: () => GatewayHealth }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/gateway/health',
      summary: 'Read how many upstreams there are, and how many are healthy',
      tag: 'Health',
      credential: 'none',
      dialect: 'envelope',
      limit: 'none',
      response: z.object({
        healthy: z.boolean(),
        upstreams_total: z.int(),
        upstreams_healthy: z.int(),
      }),
      handle: async () => {
        const { healthy, upstreams_total, upstreams_healthy } = health()
        return { data: { healthy, upstreams_total, upstreams_healthy } }
      },
    }),
  ]
}
