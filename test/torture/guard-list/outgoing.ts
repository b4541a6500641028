import type { Guard } from './guard.ts'

/** Whom the service calls, and what it sends there. */
export const OUTGOING_GUARDS: readonly Guard[] = [
  {
    name: 'payments and SMS without TLS stay within this machine',
    file: 'src/config.ts',
    find: '...unsafePasskeys(config), ...unsafeParties(config))',
    put: '...unsafePasskeys(config))',
    test: 'test/config.test.ts',
    fails: /without TLS|plain http stays/,
  },
  {
    name: 'keys of upstreams without TLS stay within this machine',
    file: 'src/upstream/upstreams-file.ts',
    find: 'if (isTrustedAddress(baseUrl, plainHosts)) return',
    put: 'if (baseUrl !== plainHosts[0]) return',
    test: 'test/upstream/upstreams-file.test.ts',
    fails: /plain http|which field is wrong/,
  },
  {
    name: 'a password for SMTP is sent over TLS',
    file: 'src/notices/smtp.ts',
    find: 'requireTLS: !isTrustedAddress(text, plainHosts)',
    put: 'requireTLS: plainHosts === null',
    test: 'test/notices/senders.test.ts',
    fails: /a password without TLS/,
  },
  {
    name: 'webhooks go to the ports of the web',
    file: 'src/webhooks/sender.ts',
    find: "if (!reach.allowsPort(to)) throw new AddressRefused('port_not_allowed')",
    put: '',
    test: 'test/webhooks/address.test.ts',
    fails: /ports of the web/,
  },
  {
    name: 'webhooks go to no address for special purposes',
    file: 'src/lib/public-url.ts',
    find: "GLOBAL_V6.check(address, 'ipv6') && !SPECIAL_V6",
    put: '!SPECIAL_V6',
    test: 'test/webhooks/address.test.ts',
    fails: /public addresses over TLS/,
  },
  {
    name: 'an endpoint that is gone is switched off',
    file: 'src/webhooks/webhooks.ts',
    find: 'if (status === 410 && (await disableGone(db, delivery.destination))) {',
    put: 'if (status === 0) {',
    test: 'test/webhooks/deliveries.test.ts',
    fails: /says it is gone/,
  },
  {
    name: 'no caller decides what is traced',
    file: 'src/observability/export.ts',
    find: 'remoteParentSampled: ours(share),',
    put: '',
    test: 'test/observability/export.test.ts',
    fails: /whatever their callers ask for/,
  },
]
