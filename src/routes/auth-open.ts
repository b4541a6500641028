/** What the routes share that nobody needs a credential for: they are counted per address. */
export const open = {
  method: 'POST',
  tag: 'Authentication',
  credential: 'none',
  dialect: 'envelope',
  limit: 'auth',
} as const
