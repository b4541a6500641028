import type { Guard } from './guard.ts'

const test = 'test/contract/money/refused-answers.test.ts'

/** Answers that an upstream made, and that we refuse. */
export const REFUSED_GUARDS: readonly Guard[] = [
  {
    name: 'a refused answer is counted by its worth',
    file: 'src/gateway/unpaid-work.ts',
    find: 'const unpaidWork = { accountId, micro: waived.micro, countedMicro, kind }',
    put: 'const unpaidWork = { accountId, micro: unpaid, countedMicro, kind }',
    test,
    fails: /all of it is counted/,
  },
  {
    name: 'an answer that we could read and refused is counted',
    file: 'src/gateway/billed-call.ts',
    find: 'refused(waivedWork(usage))',
    put: '',
    test,
    fails: /talks instead of drawing/,
  },
  {
    name: 'no other upstream is asked for work that was done',
    file: 'src/upstream/contract/upstream-error.ts',
    find: "kind === 'refused' || ",
    put: '',
    test,
    fails: /nobody else is asked/,
  },
  {
    name: 'a refused answer is no sample of health',
    file: 'src/upstream/health/health.ts',
    find: "    default:\n      return { kind: 'neutral' }",
    put: "    case 'refused':\n      return { kind: 'failed' }\n    default:\n      return { kind: 'neutral' }",
    test,
    fails: /nobody else is asked/,
  },
  {
    name: 'what was read and blocked is counted too',
    file: 'src/upstream/contract/refused-answer.ts',
    find: "used === true && provider.classify(error).kind === 'rejected'",
    put: 'false',
    test,
    fails: /read and blocked/,
  },
  {
    name: 'a kind of call whose answers are refused ends with the allowance',
    file: 'src/gateway/billed-call.ts',
    find: 'await allowance.admit(accountId)',
    put: '',
    test,
    fails: /all of it is counted/,
  },
  {
    name: 'every process knows whose answers were refused',
    file: 'src/app/background-jobs.ts',
    find: '    refusedWatch(inputs, rooms.gateway.callLimits.doubt),\n',
    put: '    refusedWatch(inputs, () => {}),\n',
    test,
    fails: /every process/,
  },
  {
    name: 'a stream that we refuse in its middle is counted',
    file: 'src/gateway/chat/stream.ts',
    find: 'if (hasBrokenOff(error)) await',
    put: 'if (error !== undefined) await',
    test,
    fails: /refuse in the middle/,
  },
  {
    name: 'what ran of a voice flow is counted',
    file: 'src/gateway/voice/voice.ts',
    find: 'await gateway.allowance.drop(bill, end, { accountId, micro, countedMicro, kind })',
    put: 'await bill.drop(end)',
    test,
    fails: /ran of a voice flow is counted/,
  },
]
