import type { QueryClient } from '@tanstack/react-query'

/** Routes that show money; every tab sends them again when a balance changes. */
const ABOUT_MONEY = [
  'GET /v1/billing/balance',
  'GET /v1/billing/transactions',
  'GET /v1/payments',
  'GET /v1/notifications',
]

// The build, which writes HTML, has no tabs.
const channel = typeof document === 'undefined' ? undefined : new BroadcastChannel('mlango-money')

export function watchMoneyChanges(client: QueryClient): void {
  channel?.addEventListener('message', () => renew(client))
}

export function announceMoneyChange(client: QueryClient): void {
  channel?.postMessage('moved')
  renew(client)
}

function renew(client: QueryClient): void {
  for (const name of ABOUT_MONEY) void client.invalidateQueries({ queryKey: [name] })
}
