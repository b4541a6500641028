/**
 * Routes that the API is about to have, by hand. A route leaves this list when
 * `npm run console:routes` finds it in the API's own.
 */
type Envelope<Data> = { status: 'success'; code: number; data: Data; request_id: string }
type Route<Data, Query = object, Body = undefined> = {
  query: Query
  body: Body
  answer: Envelope<Data>
}
type Pagination = { limit: number; offset: number; total: number; has_more: boolean }
type Value = string | number | boolean

type Sums = { requests: number; total_tokens: number; cost_credits: number }
type State = 'up' | 'degraded' | 'down' | 'unknown'
type Profile = {
  id: string
  full_name: string
  email?: string
  phone_number?: string
  email_verified: boolean
  phone_verified: boolean
  locale: 'sw' | 'en'
}

export type Coming = {
  'GET /v1/console': Route<{
    topup: {
      min_tzs: number
      max_tzs: number
      credits_per_tzs: string
      expires_in_s: number
      requires_verified_phone: boolean
      amounts_tzs: number[]
    }
    signup_bonus_credits: number
    low_balance_credits: number
    sign_in: { google: boolean; github: boolean }
    browser_session: boolean
    mfa_methods: ('totp' | 'email' | 'phone')[]
    simulated: { models: boolean; payments: boolean }
    networks: { id: string; name: string; prefixes: string[]; menu: string }[]
    time_zone: string
    status_note?: string
  }>
  'GET /v1/activity/daily': Route<
    {
      zone: string
      from: string
      to: string
      total: Sums
      days: (Sums & { day: string; groups?: (Sums & { id: string | null })[] })[]
      groups?: (Sums & { id: string | null; name?: string })[]
    },
    { [name: string]: Value | undefined }
  >
  'GET /v1/videos': {
    query: { limit?: Value; offset?: Value; status?: string }
    body: undefined
    answer: Envelope<
      { job_id: string; status: string; created_at?: string; usage?: { cost_credits: number } }[]
    > & { pagination: Pagination }
  }
  'GET /v1/gateway/health/history': Route<{
    note?: string
    step_s: number
    recent: { at: string; state: State }[]
    time_zone: string
    days: { day: string; state: State; up_percent?: number }[]
  }>
  'POST /v1/payments/{id}/check': Route<unknown>
  'POST /v1/notifications/read-all': Route<{ read: number }>
  'POST /v1/me/email': Route<
    { pending_verification: true; email: string; expires_in: number; resend_after: number },
    object,
    { email: string; password?: string; mfa_code?: string }
  >
  'POST /v1/me/email/verify': Route<Profile, object, { email: string; code: string }>
  'POST /v1/me/password': Route<object, object, { current_password?: string; new_password: string }>
  'GET /v1/me/sessions': Route<
    {
      id: string
      device: { browser?: string; system?: string }
      kind: 'browser' | 'app'
      created_at: string
      last_used_at: string
      current: boolean
    }[]
  >
  'DELETE /v1/me/sessions/{id}': Route<object>
  'GET /v1/me/mfa': Route<{ method: string; recovery_codes_left: number }>
}
