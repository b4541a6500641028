import type { HallwaySettings } from './plan.ts'
import { route, type Route } from './route.ts'

/** Doors that belong to the hallway itself. */
export function ownRoutes(_routes: Route[], _settings: HallwaySettings): Route[] {
  return [health]
}

/** Liveness: touches nothing but the process. */
const health = route({
  method: 'GET',
  path: '/healthz',
  summary: 'Liveness of the process',
  tag: 'Health',
  credential: 'none',
  dialect: 'envelope',
  limit: 'none',
  handle: async () => ({ data: { alive: true } }),
})
