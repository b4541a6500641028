import type { Guard } from './guard.ts'

/** Settings, background jobs, start and stop, and the tools that all rooms share. */
export const APP_GUARDS: readonly Guard[] = [
  {
    name: 'a process whose memory is used up drains',
    file: 'src/app/end-on-signal.ts',
    find: 'if (full < LOOKS) return',
    put: 'return',
    test: 'test/app/end-on-signal.test.ts',
    fails: /drains, and ends/,
  },
  {
    name: 'play money for real models needs a setting that says so',
    file: 'src/config.ts',
    find: "if (config.PAYMENT_PROVIDER !== 'simulator' || config.ALLOW_SIMULATED_PAYMENTS) return []",
    put: 'if (config.PAYMENT_PROVIDER !== undefined) return []',
    test: 'test/config.test.ts',
    fails: /real models for play money/,
  },
  {
    name: 'what is kept goes with its account',
    file: 'src/app/purge-expired.ts',
    find: 'erasures: [deleteAllStoredResponses, deleteAllResponseJobs]',
    put: 'erasures: []',
    test: 'test/app/purge-expired.test.ts',
    fails: /until it is erased/,
  },
  {
    name: 'a restored database has no session',
    file: 'src/operators/backup-actions.ts',
    find: "await endEverySession(tx, 'restored')",
    put: '0',
    test: 'test/cli/restored.test.ts',
    fails: /ends every session/,
  },
  {
    name: 'a restored database has no code',
    file: 'src/operators/backup-actions.ts',
    find: 'await voidEveryCode(tx)',
    put: 'void voidEveryCode',
    test: 'test/cli/restored.test.ts',
    fails: /ends every session/,
  },
  {
    name: 'keys of a backup are revoked where the operator says so',
    file: 'src/operators/backup-actions.ts',
    find: "if (keys === 'revoke') await revokeEveryKey(tx)",
    put: '',
    test: 'test/cli/restored.test.ts',
    fails: /ends every session/,
  },
]
