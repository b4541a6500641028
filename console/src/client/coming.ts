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
