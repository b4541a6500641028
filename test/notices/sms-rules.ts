import type { SmsRules } from '../../src/notices/sms-budget.ts'

/** As without an SMS provider. */
export const ANYWHERE: SmsRules = { countries: undefined, noticesPerDay: 5, timeZone: 'UTC' }
