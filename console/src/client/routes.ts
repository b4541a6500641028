// Written by `npm run console:routes` from the list of routes. Do not edit.
export type Documented = {
  'POST /v1/auth/register': {
    query: {}
    body: {
      full_name: string
      email?: string | undefined
      phone_number?: string | undefined
      password: string
      locale?: 'sw' | 'en' | undefined
    }
    answer: {
      status: 'success'
      code: 201
      data: {
        pending_verification: true
        identifier: string
        channel: 'email' | 'phone'
        purpose: 'verify_email' | 'verify_phone'
        expires_in: number
        resend_after: number
      }
      request_id: string
    }
  }
  'POST /v1/auth/otp/verify': {
    query: {}
    body: {
      identifier: string
      channel: 'email' | 'phone' | 'totp'
      challenge_id?: string | undefined
      purpose: 'verify_email' | 'verify_phone' | 'login_mfa'
      code: string
    }
    answer: {
      status: 'success'
      code: 200
      data:
        | {
            access_token: string
            token_type: 'Bearer'
            expires_in: number
            refresh_token?: string | undefined
            refresh_expires_in?: number | undefined
            user: {
              id: string
              full_name: string
              avatar_url?: string | undefined
              email?: string | undefined
              phone_number?: string | undefined
              email_verified: boolean
              phone_verified: boolean
              phone_signs_in_at?: string | undefined
              status: 'pending_verification' | 'active' | 'suspended'
              role: 'user' | 'admin'
              locale: 'sw' | 'en'
              mfa_method?: 'totp' | 'email' | 'phone' | 'passkey' | undefined
              created_at: string
            }
          }
        | {
            mfa_required: true
            challenge_id: string
            channel: 'email' | 'phone' | 'totp'
            mfa_method: 'totp' | 'email' | 'phone' | 'passkey'
            other_methods: ('totp' | 'email' | 'phone' | 'passkey')[]
            masked: string
            expires_in: number
          }
      request_id: string
    }
  }
  'POST /v1/auth/otp/resend': {
    query: {}
    body: {
      identifier: string
      channel: 'email' | 'phone' | 'totp'
      challenge_id?: string | undefined
      purpose: 'verify_email' | 'verify_phone' | 'login_mfa' | 'reset_password'
    }
    answer: {
      status: 'success'
      code: 200
      data: { sent: true; expires_in: number; resend_after: number }
      request_id: string
    }
  }
  'POST /v1/auth/login': {
    query: {}
    body: { identifier: string; password: string }
    answer: {
      status: 'success'
      code: 200
      data:
        | {
            access_token: string
            token_type: 'Bearer'
            expires_in: number
            refresh_token?: string | undefined
            refresh_expires_in?: number | undefined
            user: {
              id: string
              full_name: string
              avatar_url?: string | undefined
              email?: string | undefined
              phone_number?: string | undefined
              email_verified: boolean
              phone_verified: boolean
              phone_signs_in_at?: string | undefined
              status: 'pending_verification' | 'active' | 'suspended'
              role: 'user' | 'admin'
              locale: 'sw' | 'en'
              mfa_method?: 'totp' | 'email' | 'phone' | 'passkey' | undefined
              created_at: string
            }
          }
        | {
            mfa_required: true
            challenge_id: string
            channel: 'email' | 'phone' | 'totp'
            mfa_method: 'totp' | 'email' | 'phone' | 'passkey'
            other_methods: ('totp' | 'email' | 'phone' | 'passkey')[]
            masked: string
            expires_in: number
          }
      request_id: string
    }
  }
  'POST /v1/auth/refresh': {
    query: {}
    body: { refresh_token?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data: {
        access_token: string
        token_type: 'Bearer'
        expires_in: number
        refresh_token?: string | undefined
        refresh_expires_in?: number | undefined
        user: {
          id: string
          full_name: string
          avatar_url?: string | undefined
          email?: string | undefined
          phone_number?: string | undefined
          email_verified: boolean
          phone_verified: boolean
          phone_signs_in_at?: string | undefined
          status: 'pending_verification' | 'active' | 'suspended'
          role: 'user' | 'admin'
          locale: 'sw' | 'en'
          mfa_method?: 'totp' | 'email' | 'phone' | 'passkey' | undefined
          created_at: string
        }
      }
      request_id: string
    }
  }
  'POST /v1/auth/logout': {
    query: {}
    body: { refresh_token?: string | undefined; all?: boolean | undefined }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'POST /v1/auth/step-up': {
    query: {}
    body: { code: string }
    answer: { status: 'success'; code: 200; data: { fresh_for_s: number }; request_id: string }
  }
  'POST /v1/auth/password/forgot': {
    query: {}
    body: { identifier: string }
    answer: {
      status: 'success'
      code: 200
      data: { sent: true; expires_in: number; resend_after: number }
      request_id: string
    }
  }
  'POST /v1/auth/password/reset': {
    query: {}
    body: {
      identifier: string
      code: string
      new_password: string
      recovery_code?: string | undefined
    }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'POST /v1/auth/undo': {
    query: {}
    body: { token: string }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'GET /v1/auth/jwks.json': {
    query: {}
    body: undefined
    answer: {
      keys: ({
        kty: 'EC'
        crv: 'P-256'
        x: string
        y: string
        kid: string
        alg: 'ES256'
        use: 'sig'
      } & Record<string, unknown>)[]
    }
  }
  'GET /v1/auth/google/start': {
    query: {
      redirect_uri?: string | number | boolean
      state?: string | number | boolean
      session?: string | number | boolean
    }
    body: undefined
    answer: Blob
  }
  'GET /v1/auth/google/callback': { query: {}; body: undefined; answer: Blob }
  'GET /v1/auth/github/start': {
    query: {
      redirect_uri?: string | number | boolean
      state?: string | number | boolean
      session?: string | number | boolean
    }
    body: undefined
    answer: Blob
  }
  'GET /v1/auth/github/callback': { query: {}; body: undefined; answer: Blob }
  'POST /v1/auth/google/mobile': {
    query: {}
    body: { id_token: string; nonce?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data:
        | {
            access_token: string
            token_type: 'Bearer'
            expires_in: number
            refresh_token?: string | undefined
            refresh_expires_in?: number | undefined
            user: {
              id: string
              full_name: string
              avatar_url?: string | undefined
              email?: string | undefined
              phone_number?: string | undefined
              email_verified: boolean
              phone_verified: boolean
              phone_signs_in_at?: string | undefined
              status: 'pending_verification' | 'active' | 'suspended'
              role: 'user' | 'admin'
              locale: 'sw' | 'en'
              mfa_method?: 'totp' | 'email' | 'phone' | 'passkey' | undefined
              created_at: string
            }
            created: boolean
          }
        | {
            mfa_required: true
            challenge_id: string
            channel: 'email' | 'phone' | 'totp'
            mfa_method: 'totp' | 'email' | 'phone' | 'passkey'
            other_methods: ('totp' | 'email' | 'phone' | 'passkey')[]
            masked: string
            expires_in: number
            identifier: string
            created: false
          }
      request_id: string
    }
  }
  'POST /v1/auth/partner': {
    query: {}
    body: { access_token: string }
    answer: {
      status: 'success'
      code: 200
      data:
        | {
            access_token: string
            token_type: 'Bearer'
            expires_in: number
            refresh_token?: string | undefined
            refresh_expires_in?: number | undefined
            user: {
              id: string
              full_name: string
              avatar_url?: string | undefined
              email?: string | undefined
              phone_number?: string | undefined
              email_verified: boolean
              phone_verified: boolean
              phone_signs_in_at?: string | undefined
              status: 'pending_verification' | 'active' | 'suspended'
              role: 'user' | 'admin'
              locale: 'sw' | 'en'
              mfa_method?: 'totp' | 'email' | 'phone' | 'passkey' | undefined
              created_at: string
            }
            created: boolean
          }
        | {
            mfa_required: true
            challenge_id: string
            channel: 'email' | 'phone' | 'totp'
            mfa_method: 'totp' | 'email' | 'phone' | 'passkey'
            other_methods: ('totp' | 'email' | 'phone' | 'passkey')[]
            masked: string
            expires_in: number
            identifier: string
            created: false
          }
      request_id: string
    }
  }
  'GET /v1/console': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
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
        unpaid_credits: number
        sign_in: { google: boolean; github: boolean }
        mfa_methods: ('totp' | 'email' | 'phone')[]
        simulated: { models: boolean; payments: boolean }
        networks: { id: string; name: string; prefixes: string[]; menu: string }[]
        time_zone: string
        status_note?: string | undefined
      }
      request_id: string
    }
  }
  'GET /v1/me': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        full_name: string
        avatar_url?: string | undefined
        email?: string | undefined
        phone_number?: string | undefined
        email_verified: boolean
        phone_verified: boolean
        phone_signs_in_at?: string | undefined
        status: 'pending_verification' | 'active' | 'suspended'
        role: 'user' | 'admin'
        locale: 'sw' | 'en'
        mfa_method?: 'totp' | 'email' | 'phone' | 'passkey' | undefined
        created_at: string
      }
      request_id: string
    }
  }
  'PATCH /v1/me': {
    query: {}
    body: {
      full_name?: string | undefined
      avatar_url?: string | undefined
      locale?: 'sw' | 'en' | undefined
      mfa_method?: 'none' | 'totp' | 'email' | 'phone' | 'passkey' | undefined
      totp_code?: string | undefined
      recovery_codes?: true | undefined
      password?: string | undefined
      mfa_code?: string | undefined
    }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        full_name: string
        avatar_url?: string | undefined
        email?: string | undefined
        phone_number?: string | undefined
        email_verified: boolean
        phone_verified: boolean
        phone_signs_in_at?: string | undefined
        status: 'pending_verification' | 'active' | 'suspended'
        role: 'user' | 'admin'
        locale: 'sw' | 'en'
        mfa_method?: 'totp' | 'email' | 'phone' | 'passkey' | undefined
        created_at: string
        totp?: { secret: string; uri: string } | undefined
        recovery_codes?: string[] | undefined
      }
      request_id: string
    }
  }
  'DELETE /v1/me': {
    query: {}
    body: { password?: string | undefined }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'POST /v1/me/phone': {
    query: {}
    body: { phone_number: string; password?: string | undefined; mfa_code?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data: { pending_verification: true }
      request_id: string
    }
  }
  'POST /v1/me/email': {
    query: {}
    body: { email: string; password?: string | undefined; mfa_code?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data: { pending_verification: true; email: string; expires_in: number; resend_after: number }
      request_id: string
    }
  }
  'POST /v1/me/email/verify': {
    query: {}
    body: { email: string; code: string }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        full_name: string
        avatar_url?: string | undefined
        email?: string | undefined
        phone_number?: string | undefined
        email_verified: boolean
        phone_verified: boolean
        phone_signs_in_at?: string | undefined
        status: 'pending_verification' | 'active' | 'suspended'
        role: 'user' | 'admin'
        locale: 'sw' | 'en'
        mfa_method?: 'totp' | 'email' | 'phone' | 'passkey' | undefined
        created_at: string
      }
      request_id: string
    }
  }
  'POST /v1/me/password': {
    query: {}
    body: {
      current_password?: string | undefined
      new_password: string
      mfa_code?: string | undefined
    }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'GET /v1/me/sessions': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        kind: 'browser' | 'app'
        device: { browser?: string | undefined; system?: string | undefined }
        created_at: string
        last_used_at: string
        current: boolean
      }[]
      request_id: string
    }
  }
  'DELETE /v1/me/sessions/{id}': {
    query: {}
    body: undefined
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'GET /v1/me/mfa': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        method: 'none' | 'totp' | 'email' | 'phone' | 'passkey'
        passkeys: number
        recovery_codes_left: number
      }
      request_id: string
    }
  }
  'GET /v1/me/identities': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: { id: string; provider: string; created_at: string }[]
      request_id: string
    }
  }
  'DELETE /v1/me/identities/{id}': {
    query: {}
    body: { password?: string | undefined; mfa_code?: string | undefined }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'POST /v1/me/passkeys/options': {
    query: {}
    body: { password?: string | undefined; mfa_code?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data: {
        rp: { id: string; name: string }
        user: { id: string; name: string; displayName: string }
        challenge: string
        pubKeyCredParams: { type: 'public-key'; alg: number }[]
        timeout: number
        attestation: 'none'
        authenticatorSelection: { residentKey: 'preferred'; userVerification: 'preferred' }
        excludeCredentials: {
          type: 'public-key'
          id: string
          transports: ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]
        }[]
      }
      request_id: string
    }
  }
  'POST /v1/me/passkeys': {
    query: {}
    body: {
      name: string
      credential: {
        id: string
        rawId: string
        type: 'public-key'
        response: {
          clientDataJSON: string
          attestationObject: string
          transports?: string[] | undefined
        }
      }
    }
    answer: {
      status: 'success'
      code: 201
      data: {
        id: string
        name: string
        backed_up: boolean
        created_at: string
        last_used_at?: string | undefined
        recovery_codes?: string[] | undefined
      }
      request_id: string
    }
  }
  'GET /v1/me/passkeys': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        name: string
        backed_up: boolean
        created_at: string
        last_used_at?: string | undefined
      }[]
      request_id: string
    }
  }
  'PATCH /v1/me/passkeys/{id}': {
    query: {}
    body: { name: string }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        name: string
        backed_up: boolean
        created_at: string
        last_used_at?: string | undefined
      }
      request_id: string
    }
  }
  'DELETE /v1/me/passkeys/{id}': {
    query: {}
    body: { password?: string | undefined; mfa_code?: string | undefined }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'POST /v1/auth/passkeys/options': {
    query: {}
    body: { challenge_id: string }
    answer: {
      status: 'success'
      code: 200
      data: {
        rpId: string
        challenge: string
        timeout: number
        userVerification: 'preferred'
        allowCredentials: {
          type: 'public-key'
          id: string
          transports: ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]
        }[]
      }
      request_id: string
    }
  }
  'POST /v1/auth/passkeys/verify': {
    query: {}
    body: {
      challenge_id: string
      credential: {
        id: string
        rawId: string
        type: 'public-key'
        response: { clientDataJSON: string; authenticatorData: string; signature: string }
      }
    }
    answer: {
      status: 'success'
      code: 200
      data: {
        access_token: string
        token_type: 'Bearer'
        expires_in: number
        refresh_token?: string | undefined
        refresh_expires_in?: number | undefined
        user: {
          id: string
          full_name: string
          avatar_url?: string | undefined
          email?: string | undefined
          phone_number?: string | undefined
          email_verified: boolean
          phone_verified: boolean
          phone_signs_in_at?: string | undefined
          status: 'pending_verification' | 'active' | 'suspended'
          role: 'user' | 'admin'
          locale: 'sw' | 'en'
          mfa_method?: 'totp' | 'email' | 'phone' | 'passkey' | undefined
          created_at: string
        }
      }
      request_id: string
    }
  }
  'POST /v1/auth/step-up/passkey/options': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        rpId: string
        challenge: string
        timeout: number
        userVerification: 'preferred'
        allowCredentials: {
          type: 'public-key'
          id: string
          transports: ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]
        }[]
      }
      request_id: string
    }
  }
  'POST /v1/auth/step-up/passkey': {
    query: {}
    body: {
      credential: {
        id: string
        rawId: string
        type: 'public-key'
        response: { clientDataJSON: string; authenticatorData: string; signature: string }
      }
    }
    answer: { status: 'success'; code: 200; data: { fresh_for_s: number }; request_id: string }
  }
  'GET /v1/me/security-events': {
    query: { limit?: string | number | boolean; offset?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      data: {
        id: string
        type: string
        created_at: string
        title?: string | undefined
        device?: { browser?: string | undefined; system?: string | undefined } | undefined
        network?: string | undefined
        new_network?: boolean | undefined
        reason?: string | undefined
        name?: string | undefined
        last4?: string | undefined
      }[]
      request_id: string
    }
  }
  'GET /v1/workspaces': {
    query: { limit?: string | number | boolean; offset?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      data: {
        id: string
        name: string
        slug: string
        description?: string | undefined
        is_default: boolean
        created_at: string
        updated_at: string
      }[]
      request_id: string
    }
  }
  'POST /v1/workspaces': {
    query: {}
    body: { name: string; slug?: string | undefined; description?: string | undefined }
    answer: {
      status: 'success'
      code: 201
      data: {
        id: string
        name: string
        slug: string
        description?: string | undefined
        is_default: boolean
        created_at: string
        updated_at: string
      }
      request_id: string
    }
  }
  'GET /v1/workspaces/{slug}': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        name: string
        slug: string
        description?: string | undefined
        is_default: boolean
        created_at: string
        updated_at: string
      }
      request_id: string
    }
  }
  'PATCH /v1/workspaces/{slug}': {
    query: {}
    body: { name?: string | undefined; description?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        name: string
        slug: string
        description?: string | undefined
        is_default: boolean
        created_at: string
        updated_at: string
      }
      request_id: string
    }
  }
  'DELETE /v1/workspaces/{slug}': {
    query: {}
    body: undefined
    answer: { status: 'success'; code: 200; data: { status: 'deleted' }; request_id: string }
  }
  'POST /v1/api-keys': {
    query: {}
    body: {
      name: string
      workspace_id?: string | undefined
      workspace_slug?: string | undefined
      expires_at?: string | undefined
    }
    answer: {
      status: 'success'
      code: 201
      data: {
        id: string
        name: string
        prefix: string
        last4: string
        workspace_id: string
        workspace_slug: string
        scopes: 'gateway:use'[]
        status: 'active' | 'revoked' | 'expired'
        created_at: string
        last_used_at?: string | undefined
        expires_at?: string | undefined
        key: string
      }
      request_id: string
    }
  }
  'GET /v1/api-keys': {
    query: {
      limit?: string | number | boolean
      offset?: string | number | boolean
      workspace_id?: string | number | boolean
      include_revoked?: 'true' | 'false'
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      data: {
        id: string
        name: string
        prefix: string
        last4: string
        workspace_id: string
        workspace_slug: string
        scopes: 'gateway:use'[]
        status: 'active' | 'revoked' | 'expired'
        created_at: string
        last_used_at?: string | undefined
        expires_at?: string | undefined
      }[]
      request_id: string
    }
  }
  'PATCH /v1/api-keys/{id}': {
    query: {}
    body: { name: string }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        name: string
        prefix: string
        last4: string
        workspace_id: string
        workspace_slug: string
        scopes: 'gateway:use'[]
        status: 'active' | 'revoked' | 'expired'
        created_at: string
        last_used_at?: string | undefined
        expires_at?: string | undefined
      }
      request_id: string
    }
  }
  'DELETE /v1/api-keys/{id}': {
    query: {}
    body: undefined
    answer: { status: 'success'; code: 200; data: { status: 'revoked' }; request_id: string }
  }
  'GET /v1/key': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        name: string
        status: 'active' | 'revoked' | 'expired'
        created_at: string
        label: string
        workspace_id: string
        workspace_slug: string
        expires_at: string | null
        usage: number
        usage_daily: number
        usage_weekly: number
        usage_monthly: number
        limit: number | null
        limit_remaining: number | null
        limit_reset: string | null
        is_free_tier: boolean
        allowed_data_regions: 'global'[]
        byok_usage: 0
        byok_usage_daily: 0
        byok_usage_monthly: 0
        byok_usage_weekly: 0
        creator_user_id: null
        include_byok_in_limit: false
        is_management_key: false
        is_provisioning_key: false
        organization_id: null
        free_model_daily_requests: { limit: number; remaining: number; used: 0 }
        rate_limit: { requests: number; interval: string; note: string }
      }
      request_id: string
    }
  }
  'GET /v1/models': {
    query: {
      output_modalities?: string | number | boolean
      input_modalities?: string | number | boolean
      supported_parameters?: string | number | boolean
      q?: string | number | boolean
      include_free?: '0' | '1' | 'true' | 'false'
      limit?: string | number | boolean
      offset?: string | number | boolean
      after_id?: string | number | boolean
      before_id?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination?: { limit: number; offset: number; total: number; has_more: boolean } | undefined
      object: 'list'
      has_more: boolean
      first_id: string | null
      last_id: string | null
      data: {
        id: string
        object: 'model'
        type: 'model'
        display_name: string
        created_at: string
        lifecycle: 'active'
        capabilities: null
        line: null
        deprecated_at: null
        retires_at: null
        max_input_tokens: number | null
        max_tokens: number | null
        created: number
        owned_by: string
        resource_id: string
        name: string
        description?: string | undefined
        context_length?: number | undefined
        max_output_tokens?: number | undefined
        input_modalities: string[]
        output_modalities: string[]
        supported_parameters: string[]
        supported_voices?: string[] | undefined
        supported_durations?: number[] | undefined
        supported_resolutions?: string[] | undefined
        supported_aspect_ratios?: string[] | undefined
        supported_sizes?: string[] | undefined
        pricing: {
          prompt?: string | undefined
          completion?: string | undefined
          request?: string | undefined
          image?: string | undefined
          image_token?: string | undefined
          image_output?: string | undefined
          audio?: string | undefined
          audio_output?: string | undefined
          input_cache_read?: string | undefined
          input_audio_cache?: string | undefined
          input_cache_write?: string | undefined
          input_cache_write_30m?: string | undefined
          input_cache_write_1h?: string | undefined
          input_cache_write_12h?: string | undefined
          internal_reasoning?: string | undefined
          audio_second?: string | undefined
          audio_minute?: string | undefined
          audio_hour?: string | undefined
          character?: string | undefined
          video_second?: string | undefined
          tiers?:
            | {
                prompt?: string | undefined
                completion?: string | undefined
                request?: string | undefined
                image?: string | undefined
                image_token?: string | undefined
                image_output?: string | undefined
                audio?: string | undefined
                audio_output?: string | undefined
                input_cache_read?: string | undefined
                input_audio_cache?: string | undefined
                input_cache_write?: string | undefined
                input_cache_write_30m?: string | undefined
                input_cache_write_1h?: string | undefined
                input_cache_write_12h?: string | undefined
                internal_reasoning?: string | undefined
                audio_second?: string | undefined
                audio_minute?: string | undefined
                audio_hour?: string | undefined
                character?: string | undefined
                video_second?: string | undefined
                above_prompt_tokens?: number | undefined
                utc_start?: number | undefined
                utc_end?: number | undefined
                utc_days?: number[] | undefined
              }[]
            | undefined
        }
        pricing_credits: {
          prompt?: number | undefined
          completion?: number | undefined
          request?: number | undefined
          image?: number | undefined
          image_token?: number | undefined
          image_output?: number | undefined
          audio?: number | undefined
          audio_output?: number | undefined
          input_cache_read?: number | undefined
          input_audio_cache?: number | undefined
          input_cache_write?: number | undefined
          input_cache_write_30m?: number | undefined
          input_cache_write_1h?: number | undefined
          input_cache_write_12h?: number | undefined
          internal_reasoning?: number | undefined
          audio_second?: number | undefined
          audio_minute?: number | undefined
          audio_hour?: number | undefined
          character?: number | undefined
          video_second?: number | undefined
          tiers?:
            | {
                prompt?: number | undefined
                completion?: number | undefined
                request?: number | undefined
                image?: number | undefined
                image_token?: number | undefined
                image_output?: number | undefined
                audio?: number | undefined
                audio_output?: number | undefined
                input_cache_read?: number | undefined
                input_audio_cache?: number | undefined
                input_cache_write?: number | undefined
                input_cache_write_30m?: number | undefined
                input_cache_write_1h?: number | undefined
                input_cache_write_12h?: number | undefined
                internal_reasoning?: number | undefined
                audio_second?: number | undefined
                audio_minute?: number | undefined
                audio_hour?: number | undefined
                character?: number | undefined
                video_second?: number | undefined
                above_prompt_tokens?: number | undefined
                utc_start?: number | undefined
                utc_end?: number | undefined
                utc_days?: number[] | undefined
              }[]
            | undefined
        }
        is_free: boolean
      }[]
      request_id: string
    }
  }
  'GET /v1/models/{id}': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      id: string
      object: 'model'
      created: number
      owned_by: string
      type: 'model'
      display_name: string
      created_at: string
      lifecycle: 'active'
      capabilities: null
      line: null
      deprecated_at: null
      retires_at: null
      max_input_tokens: number | null
      max_tokens: number | null
      data: {
        id: string
        object: 'model'
        type: 'model'
        display_name: string
        created_at: string
        lifecycle: 'active'
        capabilities: null
        line: null
        deprecated_at: null
        retires_at: null
        max_input_tokens: number | null
        max_tokens: number | null
        created: number
        owned_by: string
        resource_id: string
        name: string
        description?: string | undefined
        context_length?: number | undefined
        max_output_tokens?: number | undefined
        input_modalities: string[]
        output_modalities: string[]
        supported_parameters: string[]
        supported_voices?: string[] | undefined
        supported_durations?: number[] | undefined
        supported_resolutions?: string[] | undefined
        supported_aspect_ratios?: string[] | undefined
        supported_sizes?: string[] | undefined
        pricing: {
          prompt?: string | undefined
          completion?: string | undefined
          request?: string | undefined
          image?: string | undefined
          image_token?: string | undefined
          image_output?: string | undefined
          audio?: string | undefined
          audio_output?: string | undefined
          input_cache_read?: string | undefined
          input_audio_cache?: string | undefined
          input_cache_write?: string | undefined
          input_cache_write_30m?: string | undefined
          input_cache_write_1h?: string | undefined
          input_cache_write_12h?: string | undefined
          internal_reasoning?: string | undefined
          audio_second?: string | undefined
          audio_minute?: string | undefined
          audio_hour?: string | undefined
          character?: string | undefined
          video_second?: string | undefined
          tiers?:
            | {
                prompt?: string | undefined
                completion?: string | undefined
                request?: string | undefined
                image?: string | undefined
                image_token?: string | undefined
                image_output?: string | undefined
                audio?: string | undefined
                audio_output?: string | undefined
                input_cache_read?: string | undefined
                input_audio_cache?: string | undefined
                input_cache_write?: string | undefined
                input_cache_write_30m?: string | undefined
                input_cache_write_1h?: string | undefined
                input_cache_write_12h?: string | undefined
                internal_reasoning?: string | undefined
                audio_second?: string | undefined
                audio_minute?: string | undefined
                audio_hour?: string | undefined
                character?: string | undefined
                video_second?: string | undefined
                above_prompt_tokens?: number | undefined
                utc_start?: number | undefined
                utc_end?: number | undefined
                utc_days?: number[] | undefined
              }[]
            | undefined
        }
        pricing_credits: {
          prompt?: number | undefined
          completion?: number | undefined
          request?: number | undefined
          image?: number | undefined
          image_token?: number | undefined
          image_output?: number | undefined
          audio?: number | undefined
          audio_output?: number | undefined
          input_cache_read?: number | undefined
          input_audio_cache?: number | undefined
          input_cache_write?: number | undefined
          input_cache_write_30m?: number | undefined
          input_cache_write_1h?: number | undefined
          input_cache_write_12h?: number | undefined
          internal_reasoning?: number | undefined
          audio_second?: number | undefined
          audio_minute?: number | undefined
          audio_hour?: number | undefined
          character?: number | undefined
          video_second?: number | undefined
          tiers?:
            | {
                prompt?: number | undefined
                completion?: number | undefined
                request?: number | undefined
                image?: number | undefined
                image_token?: number | undefined
                image_output?: number | undefined
                audio?: number | undefined
                audio_output?: number | undefined
                input_cache_read?: number | undefined
                input_audio_cache?: number | undefined
                input_cache_write?: number | undefined
                input_cache_write_30m?: number | undefined
                input_cache_write_1h?: number | undefined
                input_cache_write_12h?: number | undefined
                internal_reasoning?: number | undefined
                audio_second?: number | undefined
                audio_minute?: number | undefined
                audio_hour?: number | undefined
                character?: number | undefined
                video_second?: number | undefined
                above_prompt_tokens?: number | undefined
                utc_start?: number | undefined
                utc_end?: number | undefined
                utc_days?: number[] | undefined
              }[]
            | undefined
        }
        is_free: boolean
      }
      request_id: string
    }
  }
  'GET /v1/catalog': {
    query: {
      output_modalities?: string | number | boolean
      input_modalities?: string | number | boolean
      supported_parameters?: string | number | boolean
      q?: string | number | boolean
      include_free?: '0' | '1' | 'true' | 'false'
      limit?: string | number | boolean
      offset?: string | number | boolean
      after_id?: string | number | boolean
      before_id?: string | number | boolean
      fields?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination?: { limit: number; offset: number; total: number; has_more: boolean } | undefined
      object: 'list'
      has_more: boolean
      first_id: string | null
      last_id: string | null
      data: {
        id: string
        object: 'model'
        type: 'model'
        display_name: string
        created_at: string
        lifecycle: 'active'
        capabilities: null
        line: null
        deprecated_at: null
        retires_at: null
        max_input_tokens: number | null
        max_tokens: number | null
        created: number
        owned_by: string
        resource_id: string
        name: string
        description?: string | undefined
        context_length?: number | undefined
        max_output_tokens?: number | undefined
        input_modalities: string[]
        output_modalities: string[]
        supported_parameters: string[]
        supported_voices?: string[] | undefined
        supported_durations?: number[] | undefined
        supported_resolutions?: string[] | undefined
        supported_aspect_ratios?: string[] | undefined
        supported_sizes?: string[] | undefined
        pricing: {
          prompt?: string | undefined
          completion?: string | undefined
          request?: string | undefined
          image?: string | undefined
          image_token?: string | undefined
          image_output?: string | undefined
          audio?: string | undefined
          audio_output?: string | undefined
          input_cache_read?: string | undefined
          input_audio_cache?: string | undefined
          input_cache_write?: string | undefined
          input_cache_write_30m?: string | undefined
          input_cache_write_1h?: string | undefined
          input_cache_write_12h?: string | undefined
          internal_reasoning?: string | undefined
          audio_second?: string | undefined
          audio_minute?: string | undefined
          audio_hour?: string | undefined
          character?: string | undefined
          video_second?: string | undefined
          tiers?:
            | {
                prompt?: string | undefined
                completion?: string | undefined
                request?: string | undefined
                image?: string | undefined
                image_token?: string | undefined
                image_output?: string | undefined
                audio?: string | undefined
                audio_output?: string | undefined
                input_cache_read?: string | undefined
                input_audio_cache?: string | undefined
                input_cache_write?: string | undefined
                input_cache_write_30m?: string | undefined
                input_cache_write_1h?: string | undefined
                input_cache_write_12h?: string | undefined
                internal_reasoning?: string | undefined
                audio_second?: string | undefined
                audio_minute?: string | undefined
                audio_hour?: string | undefined
                character?: string | undefined
                video_second?: string | undefined
                above_prompt_tokens?: number | undefined
                utc_start?: number | undefined
                utc_end?: number | undefined
                utc_days?: number[] | undefined
              }[]
            | undefined
        }
        pricing_credits: {
          prompt?: number | undefined
          completion?: number | undefined
          request?: number | undefined
          image?: number | undefined
          image_token?: number | undefined
          image_output?: number | undefined
          audio?: number | undefined
          audio_output?: number | undefined
          input_cache_read?: number | undefined
          input_audio_cache?: number | undefined
          input_cache_write?: number | undefined
          input_cache_write_30m?: number | undefined
          input_cache_write_1h?: number | undefined
          input_cache_write_12h?: number | undefined
          internal_reasoning?: number | undefined
          audio_second?: number | undefined
          audio_minute?: number | undefined
          audio_hour?: number | undefined
          character?: number | undefined
          video_second?: number | undefined
          tiers?:
            | {
                prompt?: number | undefined
                completion?: number | undefined
                request?: number | undefined
                image?: number | undefined
                image_token?: number | undefined
                image_output?: number | undefined
                audio?: number | undefined
                audio_output?: number | undefined
                input_cache_read?: number | undefined
                input_audio_cache?: number | undefined
                input_cache_write?: number | undefined
                input_cache_write_30m?: number | undefined
                input_cache_write_1h?: number | undefined
                input_cache_write_12h?: number | undefined
                internal_reasoning?: number | undefined
                audio_second?: number | undefined
                audio_minute?: number | undefined
                audio_hour?: number | undefined
                character?: number | undefined
                video_second?: number | undefined
                above_prompt_tokens?: number | undefined
                utc_start?: number | undefined
                utc_end?: number | undefined
                utc_days?: number[] | undefined
              }[]
            | undefined
        }
        is_free: boolean
      }[]
      request_id: string
    }
  }
  'POST /v1/completions': {
    query: {}
    body: {
      model: string
      stream?: boolean | null | undefined
      stream_options?:
        | ({ include_usage?: boolean | undefined } & Record<string, unknown>)
        | null
        | undefined
      usage?:
        | ({ include?: boolean | null | undefined } & Record<string, unknown>)
        | null
        | undefined
      max_tokens?: number | null | undefined
      max_completion_tokens?: number | null | undefined
      n?: number | null | undefined
      temperature?: number | null | undefined
      top_p?: number | null | undefined
      tool_choice?: unknown
      models?: string[] | null | undefined
      require_parameters?: boolean | null | undefined
      provider?:
        | ({
            sort?: ('price' | 'throughput' | 'latency') | null | undefined
            max_price?: Record<string, unknown> | null | undefined
            allow_fallbacks?: boolean | null | undefined
            require_parameters?: boolean | null | undefined
            data_collection?: ('allow' | 'deny') | null | undefined
          } & Record<string, unknown>)
        | null
        | undefined
      session_id?: string | null | undefined
      prompt_cache_key?: string | null | undefined
      prompt: unknown
      best_of?: number | null | undefined
      echo?: boolean | null | undefined
      logprobs?: number | null | undefined
      suffix?: string | null | undefined
    } & Record<string, unknown>
    answer: {
      id: string
      object: 'text_completion'
      created: number
      model: string
      choices: ({
        index: number
        text: string
        logprobs: Record<string, unknown> | null
        finish_reason: string | null
      } & Record<string, unknown>)[]
      usage?:
        | ({
            prompt_tokens: number
            completion_tokens: number
            total_tokens: number
            prompt_tokens_details: {
              cached_tokens: number
              cache_write_tokens?: number | undefined
            } & Record<string, unknown>
            completion_tokens_details: { reasoning_tokens: number } & Record<string, unknown>
            cost?: number | undefined
          } & Record<string, unknown>)
        | undefined
    } & Record<string, unknown>
  }
  'POST /v1/chat/completions': {
    query: {}
    body: {
      model: string
      messages: unknown[]
      stream?: boolean | null | undefined
      stream_options?:
        | ({ include_usage?: boolean | undefined } & Record<string, unknown>)
        | null
        | undefined
      usage?:
        | ({ include?: boolean | null | undefined } & Record<string, unknown>)
        | null
        | undefined
      max_tokens?: number | null | undefined
      max_completion_tokens?: number | null | undefined
      n?: number | null | undefined
      temperature?: number | null | undefined
      top_p?: number | null | undefined
      tools?: unknown[] | null | undefined
      tool_choice?: unknown
      modalities?: string[] | null | undefined
      models?: string[] | null | undefined
      require_parameters?: boolean | null | undefined
      provider?:
        | ({
            sort?: ('price' | 'throughput' | 'latency') | null | undefined
            max_price?: Record<string, unknown> | null | undefined
            allow_fallbacks?: boolean | null | undefined
            require_parameters?: boolean | null | undefined
            data_collection?: ('allow' | 'deny') | null | undefined
          } & Record<string, unknown>)
        | null
        | undefined
      session_id?: string | null | undefined
      prompt_cache_key?: string | null | undefined
    } & Record<string, unknown>
    answer: {
      id: string
      object: 'chat.completion'
      created: number
      model: string
      choices: ({
        index: number
        message: { role: 'assistant'; content?: string | null | undefined } & Record<
          string,
          unknown
        >
        finish_reason: string | null
      } & Record<string, unknown>)[]
      usage: {
        prompt_tokens: number
        completion_tokens: number
        total_tokens: number
        prompt_tokens_details: {
          cached_tokens: number
          cache_write_tokens?: number | undefined
        } & Record<string, unknown>
        completion_tokens_details: { reasoning_tokens: number } & Record<string, unknown>
        cost?: number | undefined
      } & Record<string, unknown>
    } & Record<string, unknown>
  }
  'POST /v1/messages': {
    query: {}
    body: {
      model: string
      messages: unknown[]
      system?: unknown
      tools?: unknown[] | null | undefined
      tool_choice?: unknown
      thinking?: unknown
      output_config?: unknown
      max_tokens: number
      stream?: boolean | null | undefined
      temperature?: number | null | undefined
      top_p?: number | null | undefined
      top_k?: number | null | undefined
      stop_sequences?: string[] | null | undefined
      session_id?: string | null | undefined
      fallbacks?:
        | (
            | 'default'
            | ({
                model: string
                max_tokens?: number | null | undefined
                thinking?: Record<string, unknown> | null | undefined
                output_config?: Record<string, unknown> | null | undefined
              } & Record<string, unknown>)[]
          )
        | null
        | undefined
      require_parameters?: boolean | null | undefined
      provider?:
        | ({
            sort?: ('price' | 'throughput' | 'latency') | null | undefined
            max_price?: Record<string, unknown> | null | undefined
            allow_fallbacks?: boolean | null | undefined
            require_parameters?: boolean | null | undefined
            data_collection?: ('allow' | 'deny') | null | undefined
          } & Record<string, unknown>)
        | null
        | undefined
    } & Record<string, unknown>
    answer: {
      id: string
      type: 'message'
      role: 'assistant'
      model: string
      content: ({ type: string } & Record<string, unknown>)[]
      stop_reason: string
      stop_sequence: string | null
      stop_details: ({ type: string } & Record<string, unknown>) | null
      container: Record<string, unknown> | null
      diagnostics: Record<string, unknown> | null
      usage: { input_tokens: number; output_tokens: number } & Record<string, unknown>
    } & Record<string, unknown>
  }
  'POST /v1/messages/count_tokens': {
    query: {}
    body: {
      model: string
      messages: unknown[]
      system?: unknown
      tools?: unknown[] | null | undefined
      tool_choice?: unknown
      thinking?: unknown
      output_config?: unknown
    } & Record<string, unknown>
    answer: { input_tokens: number }
  }
  'POST /v1/responses': {
    query: {}
    body: {
      model: string
      input?: (string | unknown[]) | null | undefined
      instructions?: string | null | undefined
      parallel_tool_calls?: boolean | null | undefined
      tools?: unknown[] | null | undefined
      text?: Record<string, unknown> | null | undefined
      reasoning?: Record<string, unknown> | null | undefined
      prompt_cache_key?: string | null | undefined
      previous_response_id?: string | null | undefined
      max_output_tokens?: number | null | undefined
      temperature?: number | null | undefined
      top_p?: number | null | undefined
      top_logprobs?: number | null | undefined
      max_tool_calls?: number | null | undefined
      safety_identifier?: string | null | undefined
      include?: string[] | null | undefined
      metadata?: Record<string, unknown> | null | undefined
      models?: string[] | null | undefined
      require_parameters?: boolean | null | undefined
      provider?:
        | ({
            sort?: ('price' | 'throughput' | 'latency') | null | undefined
            max_price?: Record<string, unknown> | null | undefined
            allow_fallbacks?: boolean | null | undefined
            require_parameters?: boolean | null | undefined
            data_collection?: ('allow' | 'deny') | null | undefined
          } & Record<string, unknown>)
        | null
        | undefined
      session_id?: string | null | undefined
      store?: boolean | null | undefined
      stream?: boolean | null | undefined
      background?: boolean | null | undefined
    } & Record<string, unknown>
    answer: {
      id: string
      object: 'response'
      created_at: number
      completed_at?: number | null | undefined
      status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'
      model: string
      output: ({ type: string } & Record<string, unknown>)[]
    } & Record<string, unknown>
  }
  'POST /v1/responses/compact': {
    query: {}
    body: {
      model: string
      input?: (string | unknown[]) | null | undefined
      instructions?: string | null | undefined
      parallel_tool_calls?: boolean | null | undefined
      tools?: unknown[] | null | undefined
      text?: Record<string, unknown> | null | undefined
      reasoning?: Record<string, unknown> | null | undefined
      prompt_cache_key?: string | null | undefined
      previous_response_id?: string | null | undefined
    } & Record<string, unknown>
    answer: {
      id: string
      object: 'response.compaction'
      created_at: number
      output: ({ type: string } & Record<string, unknown>)[]
      usage: { input_tokens: number; output_tokens: number; total_tokens: number } & Record<
        string,
        unknown
      >
    }
  }
  'POST /v1/responses/input_tokens': {
    query: {}
    body: {
      model: string
      input?: (string | unknown[]) | null | undefined
      instructions?: string | null | undefined
      parallel_tool_calls?: boolean | null | undefined
      tools?: unknown[] | null | undefined
      text?: Record<string, unknown> | null | undefined
      reasoning?: Record<string, unknown> | null | undefined
      prompt_cache_key?: string | null | undefined
      previous_response_id?: string | null | undefined
    } & Record<string, unknown>
    answer: { object: 'response.input_tokens'; input_tokens: number }
  }
  'POST /v1/responses/{response_id}/cancel': {
    query: {}
    body: undefined
    answer: {
      id: string
      object: 'response'
      created_at: number
      completed_at?: number | null | undefined
      status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'
      model: string
      output: ({ type: string } & Record<string, unknown>)[]
    } & Record<string, unknown>
  }
  'POST /v1/embeddings': {
    query: {}
    body: {
      model: string
      input: unknown
      encoding_format?: ('float' | 'base64') | null | undefined
      dimensions?: number | null | undefined
    } & Record<string, unknown>
    answer: {
      object: 'list'
      data: { object: 'embedding'; index: number; embedding: number[] | string }[]
      model: string
      usage: { prompt_tokens: number; total_tokens: number }
    }
  }
  'POST /v1/audio/transcriptions': {
    query: {}
    body: {
      model?: string | null | undefined
      input_audio: { data: string; format: 'wav' | 'mp3' | 'flac' | 'm4a' | 'ogg' | 'webm' | 'aac' }
      language?: string | null | undefined
      response_format?: ('json' | 'verbose_json') | null | undefined
      temperature?: number | null | undefined
      stream?: boolean | null | undefined
    } & Record<string, unknown>
    answer: {
      text: string
      language: string
      duration?: number | undefined
      usage: {
        type: 'tokens' | 'duration'
        seconds?: number | undefined
        input_tokens?: number | undefined
        output_tokens?: number | undefined
        total_tokens?: number | undefined
      }
    } & Record<string, unknown>
  }
  'POST /v1/audio/speech': {
    query: {}
    body: {
      model?: string | null | undefined
      input: string
      voice?: string | null | undefined
      response_format?: ('mp3' | 'pcm') | null | undefined
      speed?: number | null | undefined
      stream_format?: 'audio' | null | undefined
    } & Record<string, unknown>
    answer: Blob
  }
  'POST /v1/voice/responses': {
    query: {}
    body: {
      audio_data: string
      audio_format: 'wav' | 'mp3' | 'flac' | 'm4a' | 'ogg' | 'webm' | 'aac'
      stt_model?: string | null | undefined
      text_model?: string | null | undefined
      tts_model?: string | null | undefined
      voice?: string | null | undefined
      language?: string | null | undefined
      response_language?: string | null | undefined
      response_format?: ('mp3' | 'pcm') | null | undefined
      include_audio?: boolean | null | undefined
    }
    answer: {
      transcript: string
      transcript_language: string
      text: string
      audio_base64?: string | undefined
      audio_content_type?: string | undefined
      speech_generation_id?: string | undefined
    }
  }
  'POST /v1/documents/analyze': {
    query: {}
    body: {
      model: string
      prompt?: string | null | undefined
      instruction?: string | null | undefined
      max_tokens?: number | null | undefined
      temperature?: number | null | undefined
      language?: string | null | undefined
      document: {
        data: string
        media_type?: string | null | undefined
        filename?: string | null | undefined
      }
    }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        model: string
        text: string
        finish_reason: string | null
        usage: {
          prompt_tokens: number
          completion_tokens: number
          total_tokens: number
          cost_credits: number
        }
        created_at: string
        object: 'document.analysis'
      }
      request_id: string
    }
  }
  'POST /v1/vision/analyze': {
    query: {}
    body: {
      model: string
      prompt?: string | null | undefined
      instruction?: string | null | undefined
      max_tokens?: number | null | undefined
      temperature?: number | null | undefined
      language?: string | null | undefined
      image: {
        data: string
        media_type?: string | null | undefined
        filename?: string | null | undefined
      }
    }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        model: string
        text: string
        finish_reason: string | null
        usage: {
          prompt_tokens: number
          completion_tokens: number
          total_tokens: number
          cost_credits: number
        }
        created_at: string
        object: 'vision.analysis'
      }
      request_id: string
    }
  }
  'POST /v1/video/analyze': {
    query: {}
    body: {
      model: string
      prompt?: string | null | undefined
      instruction?: string | null | undefined
      max_tokens?: number | null | undefined
      temperature?: number | null | undefined
      language?: string | null | undefined
      video: {
        data: string
        media_type?: string | null | undefined
        filename?: string | null | undefined
      }
    }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        model: string
        text: string
        finish_reason: string | null
        usage: {
          prompt_tokens: number
          completion_tokens: number
          total_tokens: number
          cost_credits: number
        }
        created_at: string
        object: 'video.analysis'
      }
      request_id: string
    }
  }
  'POST /v1/images/generations': {
    query: {}
    body: {
      model: string
      prompt: string
      n?: number | null | undefined
      size?: string | null | undefined
      quality?: string | null | undefined
      resolution?: string | null | undefined
      response_format?: 'b64_json' | null | undefined
      stream?: false | null | undefined
      input_references?: unknown[] | null | undefined
    } & Record<string, unknown>
    answer: {
      status: 'success'
      code: 200
      created: number
      model: string
      usage: { cost_credits: number } & Record<string, unknown>
      data: { b64_json: string; media_type: string; revised_prompt?: string | undefined }[]
      request_id: string
    }
  }
  'POST /v1/videos': {
    query: {}
    body: {
      model: string
      prompt: string
      duration?: number | null | undefined
      seconds?: (number | string) | null | undefined
      resolution?: string | null | undefined
      aspect_ratio?: string | null | undefined
      size?: string | null | undefined
      generate_audio?: boolean | null | undefined
      seed?: unknown
      n?: 1 | null | undefined
      stream?: false | null | undefined
    } & Record<string, unknown>
    answer: {
      status: 'success'
      code: 202
      data: { job_id: string; status: 'pending'; created_at: string }
      request_id: string
    }
  }
  'GET /v1/videos': {
    query: {
      limit?: string | number | boolean
      offset?: string | number | boolean
      status?: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'expired'
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      data: {
        job_id: string
        status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'expired'
        model: string
        created_at: string
        updated_at: string
        usage?: { cost_credits: number } | undefined
        error?: { code: string; message: string } | undefined
      }[]
      request_id: string
    }
  }
  'GET /v1/videos/{job_id}': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        job_id: string
        status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'expired'
        model: string
        created_at: string
        updated_at: string
        usage?: { cost_credits: number } | undefined
        error?: { code: string; message: string } | undefined
      }
      request_id: string
    }
  }
  'GET /v1/videos/{job_id}/content': { query: {}; body: undefined; answer: Blob }
  'GET /v1/responses/{response_id}': {
    query: {
      include?: string | number | boolean
      'include[]'?: string | number | boolean
      stream?: string | number | boolean
      starting_after?: string | number | boolean
    }
    body: undefined
    answer: {
      id: string
      object: 'response'
      created_at: number
      completed_at?: number | null | undefined
      status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'
      model: string
      output: ({ type: string } & Record<string, unknown>)[]
    } & Record<string, unknown>
  }
  'DELETE /v1/responses/{response_id}': {
    query: {}
    body: undefined
    answer: { id: string; object: 'response'; deleted: true }
  }
  'GET /v1/responses/{response_id}/input_items': {
    query: {
      limit?: string | number | boolean
      order?: 'asc' | 'desc'
      after?: string | number | boolean
    }
    body: undefined
    answer: {
      object: 'list'
      data: ({ type: string } & Record<string, unknown>)[]
      first_id: string | null
      last_id: string | null
      has_more: boolean
    }
  }
  'GET /v1/gateway/health': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: { healthy: boolean; upstreams_total: number; upstreams_healthy: number }
      request_id: string
    }
  }
  'GET /v1/gateway/health/history': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        note?: string | undefined
        step_s: number
        recent: { at: string; state: 'up' | 'degraded' | 'down' | 'unknown' }[]
        time_zone: string
        days: {
          day: string
          state: 'up' | 'degraded' | 'down' | 'unknown'
          up_percent?: number | undefined
        }[]
      }
      request_id: string
    }
  }
  'GET /v1/billing/balance': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        balance_credits: number
        reserved_credits: number
        available_credits: number
        currency: 'credits'
      }
      request_id: string
    }
  }
  'GET /v1/credits': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: { total_credits: number; total_usage: number }
      request_id: string
    }
  }
  'GET /v1/billing/transactions': {
    query: {
      limit?: string | number | boolean
      offset?: string | number | boolean
      type?: 'signup_bonus' | 'topup' | 'usage' | 'refund' | 'adjustment'
      from?: string | number | boolean
      to?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      data: {
        id: string
        type: 'signup_bonus' | 'topup' | 'usage' | 'refund' | 'adjustment'
        amount_credits: number
        balance_after_credits: number
        description: string
        reference?: { type: string; id: string } | undefined
        workspace_id?: string | undefined
        created_at: string
      }[]
      request_id: string
    }
  }
  'POST /v1/billing/quote': {
    query: {}
    body: { path: string; body: unknown }
    answer: {
      status: 'success'
      code: 200
      data: {
        path: string
        model: string
        hold: { credits: number; tzs: number }
        likely: { credits: number; tzs: number }
        most: { credits: number; tzs: number }
      }
      request_id: string
    }
  }
  'POST /v1/payments/topup': {
    query: {}
    body: { amount_tzs: number }
    answer: {
      status: 'success'
      code: 201
      data: {
        id: string
        status: 'pending' | 'completed' | 'failed' | 'expired'
        amount_tzs: number
        credits: number
        currency: 'TZS'
        method: 'mobile_money'
        network?: string | undefined
        phone_number: string
        reference: string
        provider_reference?: string | undefined
        late?: true | undefined
        error?: { code: string; message: string } | undefined
        created_at: string
        updated_at: string
        asked_at?: string | undefined
        expires_at: string
        completed_at?: string | undefined
      }
      request_id: string
    }
  }
  'GET /v1/payments': {
    query: {
      limit?: string | number | boolean
      offset?: string | number | boolean
      status?: 'pending' | 'completed' | 'failed' | 'expired'
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      data: {
        id: string
        status: 'pending' | 'completed' | 'failed' | 'expired'
        amount_tzs: number
        credits: number
        currency: 'TZS'
        method: 'mobile_money'
        network?: string | undefined
        phone_number: string
        reference: string
        provider_reference?: string | undefined
        late?: true | undefined
        error?: { code: string; message: string } | undefined
        created_at: string
        updated_at: string
        asked_at?: string | undefined
        expires_at: string
        completed_at?: string | undefined
      }[]
      request_id: string
    }
  }
  'GET /v1/payments/{id}': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        status: 'pending' | 'completed' | 'failed' | 'expired'
        amount_tzs: number
        credits: number
        currency: 'TZS'
        method: 'mobile_money'
        network?: string | undefined
        phone_number: string
        reference: string
        provider_reference?: string | undefined
        late?: true | undefined
        error?: { code: string; message: string } | undefined
        created_at: string
        updated_at: string
        asked_at?: string | undefined
        expires_at: string
        completed_at?: string | undefined
      }
      request_id: string
    }
  }
  'POST /v1/payments/{id}/check': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        status: 'pending' | 'completed' | 'failed' | 'expired'
        amount_tzs: number
        credits: number
        currency: 'TZS'
        method: 'mobile_money'
        network?: string | undefined
        phone_number: string
        reference: string
        provider_reference?: string | undefined
        late?: true | undefined
        error?: { code: string; message: string } | undefined
        created_at: string
        updated_at: string
        asked_at?: string | undefined
        expires_at: string
        completed_at?: string | undefined
      }
      request_id: string
    }
  }
  'POST /v1/payments/callbacks/{provider}': {
    query: {}
    body: unknown
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'GET /v1/activity': {
    query: {
      limit?: string | number | boolean
      offset?: string | number | boolean
      from?: string | number | boolean
      to?: string | number | boolean
      zone?: string | number | boolean
      workspace_id?: string | number | boolean
      key_id?: string | number | boolean
      request_id?: string | number | boolean
      kind?:
        | 'chat'
        | 'embeddings'
        | 'transcription'
        | 'speech'
        | 'voice_transcription'
        | 'voice_text'
        | 'voice_speech'
        | 'image'
        | 'video'
        | 'document_analysis'
        | 'vision_analysis'
        | 'video_analysis'
      model?: string | number | boolean
      status?: 'completed' | 'failed' | 'cancelled'
      before?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      period?: { from: string; to: string } | undefined
      data: {
        id: string
        workspace_id?: string | undefined
        key_id?: string | undefined
        request_id: string
        kind:
          | 'chat'
          | 'embeddings'
          | 'transcription'
          | 'speech'
          | 'voice_transcription'
          | 'voice_text'
          | 'voice_speech'
          | 'image'
          | 'video'
          | 'document_analysis'
          | 'vision_analysis'
          | 'video_analysis'
        model: string
        prompt_tokens?: number | undefined
        completion_tokens?: number | undefined
        total_tokens?: number | undefined
        cost_credits: number
        latency_ms: number
        status: 'completed' | 'failed' | 'cancelled'
        error_code?: string | undefined
        estimated: boolean
        created_at: string
      }[]
      request_id: string
    }
  }
  'GET /v1/activity/summary': {
    query: { period?: 'today' | 'week' | 'month' | 'year' }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        total_requests: number
        total_tokens: number
        total_cost_credits: number
        period_start: string
        period_end: string
        by_model: {
          model: string
          request_count: number
          total_tokens: number
          total_cost_credits: number
        }[]
      }
      request_id: string
    }
  }
  'GET /v1/generation': {
    query: { id: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        request_id: string
        model: string
        created_at: string
        workspace_id: string | null
        api_type: 'completions' | 'embeddings' | 'stt' | 'tts' | 'image' | 'video'
        status: 'completed' | 'failed' | 'cancelled'
        cancelled: boolean
        total_cost: number
        usage: number
        tokens_prompt: number | null
        tokens_completion: number | null
        native_tokens_prompt: number | null
        native_tokens_completion: number | null
        generation_time: number
        error_code: string | null
        estimated: boolean
        is_byok: false
        origin: ''
        data_region: 'global'
        app_id: null
        cache_discount: null
        external_user: null
        finish_reason: null
        http_referer: null
        latency: null
        moderation_latency: null
        native_finish_reason: null
        native_tokens_cached: null
        native_tokens_completion_images: null
        native_tokens_reasoning: null
        num_fetches: null
        num_input_audio_prompt: null
        num_media_completion: null
        num_media_prompt: null
        num_search_results: null
        preset_id: null
        provider_name: null
        provider_responses: null
        router: null
        service_tier: null
        streamed: null
        upstream_id: null
        upstream_inference_cost: null
        user_agent: null
        web_search_engine: null
      }
      request_id: string
    }
  }
  'GET /v1/activity/daily': {
    query: {
      from?: string | number | boolean
      to?: string | number | boolean
      zone?: string | number | boolean
      workspace_id?: string | number | boolean
      key_id?: string | number | boolean
      request_id?: string | number | boolean
      kind?:
        | 'chat'
        | 'embeddings'
        | 'transcription'
        | 'speech'
        | 'voice_transcription'
        | 'voice_text'
        | 'voice_speech'
        | 'image'
        | 'video'
        | 'document_analysis'
        | 'vision_analysis'
        | 'video_analysis'
      model?: string | number | boolean
      status?: 'completed' | 'failed' | 'cancelled'
      group?: 'model' | 'key' | 'kind' | 'workspace'
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        zone: string
        from: string
        to: string
        total: { requests: number; total_tokens: number; cost_credits: number }
        days: {
          requests: number
          total_tokens: number
          cost_credits: number
          day: string
          groups?:
            | { requests: number; total_tokens: number; cost_credits: number; id: string | null }[]
            | undefined
        }[]
        groups?:
          | { requests: number; total_tokens: number; cost_credits: number; id: string | null }[]
          | undefined
      }
      request_id: string
    }
  }
  'GET /v1/activity.csv': {
    query: {
      from?: string | number | boolean
      to?: string | number | boolean
      zone?: string | number | boolean
      workspace_id?: string | number | boolean
      key_id?: string | number | boolean
      request_id?: string | number | boolean
      kind?:
        | 'chat'
        | 'embeddings'
        | 'transcription'
        | 'speech'
        | 'voice_transcription'
        | 'voice_text'
        | 'voice_speech'
        | 'image'
        | 'video'
        | 'document_analysis'
        | 'vision_analysis'
        | 'video_analysis'
      model?: string | number | boolean
      status?: 'completed' | 'failed' | 'cancelled'
    }
    body: undefined
    answer: Blob
  }
  'GET /v1/notifications': {
    query: {
      limit?: string | number | boolean
      offset?: string | number | boolean
      unread?: 'true' | 'false'
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      unread_count: number
      data: {
        id: string
        type: string
        title: string
        body: string
        data?: Record<string, unknown> | undefined
        read: boolean
        read_at?: string | undefined
        sent_by: ('email' | 'sms')[]
        created_at: string
      }[]
      request_id: string
    }
  }
  'PATCH /v1/notifications/{id}/read': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        type: string
        title: string
        body: string
        data?: Record<string, unknown> | undefined
        read: boolean
        read_at?: string | undefined
        sent_by: ('email' | 'sms')[]
        created_at: string
      }
      request_id: string
    }
  }
  'POST /v1/notifications/read-all': {
    query: {}
    body: undefined
    answer: { status: 'success'; code: 200; data: { read: number }; request_id: string }
  }
  'GET /v1/me/notification-preferences': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        email: { payments: boolean; usage: boolean; security: boolean }
        sms: { payments: boolean; usage: boolean; security: boolean }
      }
      request_id: string
    }
  }
  'PATCH /v1/me/notification-preferences': {
    query: {}
    body: {
      email?:
        | {
            payments?: boolean | undefined
            usage?: boolean | undefined
            security?: boolean | undefined
          }
        | undefined
      sms?:
        | {
            payments?: boolean | undefined
            usage?: boolean | undefined
            security?: boolean | undefined
          }
        | undefined
    }
    answer: {
      status: 'success'
      code: 200
      data: {
        email: { payments: boolean; usage: boolean; security: boolean }
        sms: { payments: boolean; usage: boolean; security: boolean }
      }
      request_id: string
    }
  }
  'GET /v1/operator/me': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        account_id: string
        role: 'viewer' | 'support' | 'owner'
        name: string
        authenticator: boolean
        passkey: boolean
        second_factor_at?: string | undefined
        fresh: boolean
      }
      request_id: string
    }
  }
  'GET /v1/operator/operators': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        account_id: string
        role: 'viewer' | 'support' | 'owner'
        full_name: string
        email?: string | undefined
        phone_number?: string | undefined
        authenticator: boolean
        passkey: boolean
        added_at: string
      }[]
      request_id: string
    }
  }
  'GET /v1/operator/actions': {
    query: {
      operator?: string | number | boolean
      target?: string | number | boolean
      action?: string | number | boolean
      reads?: 'true' | 'false'
      before?: string | number | boolean
      limit?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      end: { seq: number; hash: string }
      data: {
        seq: number
        at: string
        operator: { account_id?: string | undefined; name: string }
        action: string
        target: { type: string; id: string }
        reason?: string | undefined
        before?: unknown
        after?: unknown
        amount_credits?: number | undefined
        request_id?: string | undefined
      }[]
      request_id: string
    }
  }
  'GET /v1/operator/refusals': {
    query: {
      account?: string | number | boolean
      before?: string | number | boolean
      limit?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        account_id: string
        is_operator: boolean
        why:
          | 'no_operator'
          | 'api_key'
          | 'foreign_host'
          | 'foreign_network'
          | 'role'
          | 'second_factor'
          | 'rule'
        count: number
        first_at: string
        last_at: string
        what: string
        address?: string | undefined
        request_id: string
      }[]
      request_id: string
    }
  }
  'GET /v1/operator/accounts': {
    query: {
      q?: string | number | boolean
      status?: 'pending_verification' | 'active' | 'suspended'
      before?: string | number | boolean
      limit?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        full_name: string
        email?: string | undefined
        phone_number?: string | undefined
        status: 'pending_verification' | 'active' | 'suspended'
        created_at: string
        balance_credits: number
      }[]
      request_id: string
    }
  }
  'GET /v1/operator/accounts/{id}': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        full_name: string
        email?: string | undefined
        phone_number?: string | undefined
        status: 'pending_verification' | 'active' | 'suspended'
        created_at: string
        email_verified: boolean
        phone_verified: boolean
        mfa_method: 'none' | 'totp' | 'email' | 'phone' | 'passkey'
        operator_role?: 'viewer' | 'support' | 'owner' | undefined
        balance: {
          balance_credits: number
          reserved_credits: number
          available_credits: number
          currency: 'credits'
        }
        sessions: {
          id: string
          kind: 'browser' | 'app'
          device: { browser?: string | undefined; system?: string | undefined }
          created_at: string
          last_used_at: string
        }[]
        api_keys: {
          id: string
          name: string
          prefix: string
          last4: string
          status: 'active' | 'revoked' | 'expired'
          created_at: string
          last_used_at?: string | undefined
        }[]
        messages: {
          id: string
          channel: 'email' | 'sms'
          to?: string | undefined
          state: 'waiting' | 'sent' | 'dead' | 'folded'
          attempts: number
          last_error?: string | undefined
          resendable: boolean
          created_at: string
        }[]
        actions: {
          seq: number
          at: string
          operator: { account_id?: string | undefined; name: string }
          action: string
          target: { type: string; id: string }
          reason?: string | undefined
          before?: unknown
          after?: unknown
          amount_credits?: number | undefined
          request_id?: string | undefined
        }[]
      }
      request_id: string
    }
  }
  'GET /v1/operator/accounts/{id}/transactions': {
    query: {
      limit?: string | number | boolean
      offset?: string | number | boolean
      type?: 'signup_bonus' | 'topup' | 'usage' | 'refund' | 'adjustment'
      from?: string | number | boolean
      to?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      data: {
        id: string
        type: 'signup_bonus' | 'topup' | 'usage' | 'refund' | 'adjustment'
        amount_credits: number
        balance_after_credits: number
        description: string
        reference?: { type: string; id: string } | undefined
        workspace_id?: string | undefined
        created_at: string
      }[]
      request_id: string
    }
  }
  'GET /v1/operator/accounts/{id}/activity': {
    query: {
      limit?: string | number | boolean
      offset?: string | number | boolean
      from?: string | number | boolean
      to?: string | number | boolean
      zone?: string | number | boolean
      workspace_id?: string | number | boolean
      key_id?: string | number | boolean
      request_id?: string | number | boolean
      kind?:
        | 'chat'
        | 'embeddings'
        | 'transcription'
        | 'speech'
        | 'voice_transcription'
        | 'voice_text'
        | 'voice_speech'
        | 'image'
        | 'video'
        | 'document_analysis'
        | 'vision_analysis'
        | 'video_analysis'
      model?: string | number | boolean
      status?: 'completed' | 'failed' | 'cancelled'
      before?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      period?: { from: string; to: string } | undefined
      data: {
        id: string
        workspace_id?: string | undefined
        key_id?: string | undefined
        request_id: string
        kind:
          | 'chat'
          | 'embeddings'
          | 'transcription'
          | 'speech'
          | 'voice_transcription'
          | 'voice_text'
          | 'voice_speech'
          | 'image'
          | 'video'
          | 'document_analysis'
          | 'vision_analysis'
          | 'video_analysis'
        model: string
        prompt_tokens?: number | undefined
        completion_tokens?: number | undefined
        total_tokens?: number | undefined
        cost_credits: number
        latency_ms: number
        status: 'completed' | 'failed' | 'cancelled'
        error_code?: string | undefined
        estimated: boolean
        created_at: string
      }[]
      request_id: string
    }
  }
  'GET /v1/operator/accounts/{id}/payments': {
    query: {
      limit?: string | number | boolean
      offset?: string | number | boolean
      status?: 'pending' | 'completed' | 'failed' | 'expired'
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      pagination: { limit: number; offset: number; total: number; has_more: boolean }
      data: {
        id: string
        status: 'pending' | 'completed' | 'failed' | 'expired'
        amount_tzs: number
        credits: number
        currency: 'TZS'
        method: 'mobile_money'
        network?: string | undefined
        phone_number: string
        reference: string
        provider_reference?: string | undefined
        late?: true | undefined
        error?: { code: string; message: string } | undefined
        created_at: string
        updated_at: string
        asked_at?: string | undefined
        expires_at: string
        completed_at?: string | undefined
      }[]
      request_id: string
    }
  }
  'POST /v1/operator/accounts/{id}/suspension': {
    query: {}
    body: { reason: string }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        status?: 'pending_verification' | 'active' | 'suspended' | undefined
        request_id?: string | undefined
      }
      request_id: string
    }
  }
  'DELETE /v1/operator/accounts/{id}/suspension': {
    query: {}
    body: { reason: string }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        status?: 'pending_verification' | 'active' | 'suspended' | undefined
        request_id?: string | undefined
      }
      request_id: string
    }
  }
  'DELETE /v1/operator/accounts/{id}/sessions': {
    query: {}
    body: { reason: string }
    answer: {
      status: 'success'
      code: 200
      data: { ended: number; request_id?: string | undefined }
      request_id: string
    }
  }
  'DELETE /v1/operator/accounts/{id}/api-keys/{key_id}': {
    query: {}
    body: { reason: string }
    answer: {
      status: 'success'
      code: 200
      data: { request_id?: string | undefined }
      request_id: string
    }
  }
  'POST /v1/operator/accounts/{id}/codes': {
    query: {}
    body: { channel: 'email' | 'phone'; purpose: 'verify' | 'reset_password'; reason: string }
    answer: {
      status: 'success'
      code: 200
      data: { request_id?: string | undefined }
      request_id: string
    }
  }
  'POST /v1/operator/accounts/{id}/adjustments': {
    query: {}
    body: { amount_credits: number; reason: string }
    answer: {
      status: 'success'
      code: 200
      data: {
        outcome: 'posted' | 'posted_before' | 'waiting'
        balance_credits?: number | undefined
        request_id?: string | undefined
      }
      request_id: string
    }
  }
  'GET /v1/operator/requests': {
    query: { limit?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        action: string
        target: { type: string; id: string }
        wish: Record<string, unknown>
        reason?: string | undefined
        asked_by: { account_id: string; name: string }
        asked_at: string
      }[]
      request_id: string
    }
  }
  'POST /v1/operator/requests/{id}/decision': {
    query: {}
    body: { approve: boolean; reason: string }
    answer: {
      status: 'success'
      code: 200
      data: { outcome: 'done' | 'turned_down' }
      request_id: string
    }
  }
  'GET /v1/operator/payments': {
    query: { queue?: 'review' | 'stuck' | 'late'; limit?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        status: 'pending' | 'completed' | 'failed' | 'expired'
        amount_tzs: number
        credits: number
        currency: 'TZS'
        method: 'mobile_money'
        network?: string | undefined
        phone_number: string
        reference: string
        provider_reference?: string | undefined
        late?: true | undefined
        error?: { code: string; message: string } | undefined
        created_at: string
        updated_at: string
        asked_at?: string | undefined
        expires_at: string
        completed_at?: string | undefined
        account_id: string
        provider: string
        checks: number
        review?:
          | {
              reason: string
              said?: string | undefined
              at?: string | undefined
              done_by?: string | undefined
            }
          | undefined
      }[]
      request_id: string
    }
  }
  'GET /v1/operator/payments/{id}': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        status: 'pending' | 'completed' | 'failed' | 'expired'
        amount_tzs: number
        credits: number
        currency: 'TZS'
        method: 'mobile_money'
        network?: string | undefined
        phone_number: string
        reference: string
        provider_reference?: string | undefined
        late?: true | undefined
        error?: { code: string; message: string } | undefined
        created_at: string
        updated_at: string
        asked_at?: string | undefined
        expires_at: string
        completed_at?: string | undefined
        account_id: string
        provider: string
        checks: number
        review?:
          | {
              reason: string
              said?: string | undefined
              at?: string | undefined
              done_by?: string | undefined
            }
          | undefined
      }
      request_id: string
    }
  }
  'POST /v1/operator/payments/{id}/check': {
    query: {}
    body: { reason?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        status: 'pending' | 'completed' | 'failed' | 'expired'
        amount_tzs: number
        credits: number
        currency: 'TZS'
        method: 'mobile_money'
        network?: string | undefined
        phone_number: string
        reference: string
        provider_reference?: string | undefined
        late?: true | undefined
        error?: { code: string; message: string } | undefined
        created_at: string
        updated_at: string
        asked_at?: string | undefined
        expires_at: string
        completed_at?: string | undefined
        account_id: string
        provider: string
        checks: number
        review?:
          | {
              reason: string
              said?: string | undefined
              at?: string | undefined
              done_by?: string | undefined
            }
          | undefined
      }
      request_id: string
    }
  }
  'POST /v1/operator/payments/{id}/resolution': {
    query: {}
    body: { action: 'credited' | 'written_off' | 'refunded'; reason: string }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'POST /v1/operator/payments/statement': {
    query: {}
    body: { csv: string; from: string; to: string }
    answer: {
      status: 'success'
      code: 200
      data: {
        rows: number
        matched: number
        statement_tzs: number
        own_tzs: number
        difference_count: number
        differences: {
          kind: 'unknown_here' | 'not_credited' | 'amount_differs' | 'missing_there' | 'repeated'
          reference: string
          payment_id?: string | undefined
          line?: number | undefined
          statement_tzs?: number | undefined
          own_tzs?: number | undefined
        }[]
      }
      request_id: string
    }
  }
  'GET /v1/operator/overview': {
    query: { from?: string | number | boolean; to?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      period: { from: string; to: string; zone: string }
      data: {
        received_tzs: number
        payments: number
        fees_tzs: number
        fees_unknown: number
        requests: number
        failed_requests: number
        used_credits: number
        gift_credits: number
        refunded_credits: number
        uncollected_credits: number
        waived_credits: number
        earned_tzs: number
        upstream_usd: number
        upstream_tzs: number
        not_reported_share: number
        margin_tzs: number
        by_network: {
          received_tzs: number
          payments: number
          fees_tzs: number
          fees_unknown: number
          network: string
        }[]
        credits: Record<string, number>
        owed: {
          balance_credits: number
          reserved_credits: number
          gift_credits: number
          accounts: number
        }
        paid_in: { received_tzs: number; payments: number; credits: number }
        days: {
          day: string
          tzs_per_usd: number
          received_tzs: number
          payments: number
          fees_tzs: number
          fees_unknown: number
          requests: number
          failed_requests: number
          used_credits: number
          gift_credits: number
          refunded_credits: number
          uncollected_credits: number
          waived_credits: number
          earned_tzs: number
          upstream_usd: number
          upstream_tzs: number
          not_reported_share: number
          margin_tzs: number
        }[]
        by_model: {
          requests: number
          failed_requests: number
          used_credits: number
          gift_credits: number
          refunded_credits: number
          uncollected_credits: number
          waived_credits: number
          earned_tzs: number
          upstream_usd: number
          upstream_tzs: number
          not_reported_share: number
          margin_tzs: number
          model: string
        }[]
        by_upstream: {
          requests: number
          failed_requests: number
          used_credits: number
          gift_credits: number
          refunded_credits: number
          uncollected_credits: number
          waived_credits: number
          earned_tzs: number
          upstream_usd: number
          upstream_tzs: number
          not_reported_share: number
          margin_tzs: number
          upstream: string
        }[]
      }
      request_id: string
    }
  }
  'GET /v1/operator/series': {
    query: {
      from?: string | number | boolean
      to?: string | number | boolean
      metric:
        | 'received_tzs'
        | 'payments'
        | 'fees_tzs'
        | 'requests'
        | 'failed_requests'
        | 'used_credits'
        | 'gift_credits'
        | 'uncollected_credits'
        | 'waived_credits'
        | 'refunded_credits'
        | 'upstream_usd'
        | 'upstream_tzs'
        | 'earned_tzs'
        | 'margin_tzs'
      by?: 'model' | 'upstream' | 'kind' | 'network'
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      period: { from: string; to: string; zone: string }
      data: { days: string[]; series: { name: string; values: number[] }[] }
      request_id: string
    }
  }
  'GET /v1/operator/fx': {
    query: { before?: string | number | boolean; limit?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      default_tzs_per_usd: number
      data: { day: string; tzs_per_usd: number; set_at: string }[]
      request_id: string
    }
  }
  'PUT /v1/operator/fx/{day}': {
    query: {}
    body: { tzs_per_usd: number; reason?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data: { day: string; tzs_per_usd: number; set_at: string }
      request_id: string
    }
  }
  'GET /v1/operator/attention': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: { kind: string; count: number; oldest_at: string }[]
      request_id: string
    }
  }
  'GET /v1/operator/upstreams': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        name: string
        type: string
        priority: number
        weight: number
        margin: string
        state: 'up' | 'degraded' | 'down' | 'drained'
        since?: string | undefined
        key_trouble?: 'key_refused' | 'out_of_money' | 'forbidden' | undefined
        drained?: { at: string; by: string; reason?: string | undefined } | undefined
        last_hour: {
          calls: number
          errors: number
          p50_ms?: number | undefined
          p95_ms?: number | undefined
        }
        troubles: { why: string; model?: string | undefined; since: string }[]
      }[]
      request_id: string
    }
  }
  'GET /v1/operator/upstreams/{name}/minutes': {
    query: { from?: string | number | boolean; to?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        at: string
        calls: number
        errors: number
        p50_ms?: number | undefined
        p95_ms?: number | undefined
        troubled: boolean
      }[]
      request_id: string
    }
  }
  'POST /v1/operator/upstreams/{name}/drain': {
    query: {}
    body: { reason: string }
    answer: {
      status: 'success'
      code: 200
      data: { name: string; drained: boolean }
      request_id: string
    }
  }
  'DELETE /v1/operator/upstreams/{name}/drain': {
    query: {}
    body: { reason: string }
    answer: {
      status: 'success'
      code: 200
      data: { name: string; drained: boolean }
      request_id: string
    }
  }
  'POST /v1/operator/audits': {
    query: {}
    body: { reason?: string | undefined }
    answer: { status: 'success'; code: 202; data: { id: string }; request_id: string }
  }
  'GET /v1/operator/audits': {
    query: { before?: string | number | boolean; limit?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        state: 'waiting' | 'running' | 'done' | 'failed'
        asked_by: string
        step: number
        of: number
        finding_count: number
        accounts?: number | undefined
        entries?: number | undefined
        holds?: number | undefined
        log_end?: string | undefined
        error?: string | undefined
        created_at: string
        started_at?: string | undefined
        ended_at?: string | undefined
      }[]
      request_id: string
    }
  }
  'GET /v1/operator/audits/{id}': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        state: 'waiting' | 'running' | 'done' | 'failed'
        asked_by: string
        step: number
        of: number
        finding_count: number
        accounts?: number | undefined
        entries?: number | undefined
        holds?: number | undefined
        log_end?: string | undefined
        error?: string | undefined
        created_at: string
        started_at?: string | undefined
        ended_at?: string | undefined
        findings: string[]
      }
      request_id: string
    }
  }
  'GET /v1/operator/exports/ledger.csv': {
    query: { month: string | number | boolean }
    body: undefined
    answer: Blob
  }
  'GET /v1/operator/exports/payments.csv': {
    query: { month: string | number | boolean }
    body: undefined
    answer: Blob
  }
  'GET /v1/operator/exports/sums': {
    query: { month: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        ledger: {
          opening_credits: number
          movements: { type: string; entries: number; amount_credits: number }[]
          closing_credits: number
        }
        payments: { count: number; received_tzs: number; credits: number }
        period: { month: string; zone: string; from: string; to: string }
      }
      request_id: string
    }
  }
  'GET /v1/operator/models': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        name: string
        output_modalities: string[]
        enabled: boolean
        margin?: string | undefined
        offers: {
          upstream: string
          listed: boolean
          by_hand: boolean
          priced: 'paid' | 'free' | 'unpriced'
          margin: string
          credits_per_usd: string
          pricing: Record<string, unknown>
          price_waiting: boolean
          expires_at?: string | undefined
        }[]
      }[]
      request_id: string
    }
  }
  'PATCH /v1/operator/models/{id}': {
    query: {}
    body: {
      enabled?: boolean | undefined
      margin?: number | string | null | undefined
      reason: string
    }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        enabled?: boolean | undefined
        margin?: string | null | undefined
        request_id?: string | undefined
      }
      request_id: string
    }
  }
  'GET /v1/operator/margins': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        house: string
        modalities: { modality: string; models: number; margin?: string | undefined }[]
      }
      request_id: string
    }
  }
  'PATCH /v1/operator/margins/{modality}': {
    query: {}
    body: { margin: number | string | null; reason: string }
    answer: {
      status: 'success'
      code: 200
      data: {
        modality: string
        margin?: string | null | undefined
        prices_changed: number
        request_id?: string | undefined
      }
      request_id: string
    }
  }
  'POST /v1/operator/models/{id}/try': {
    query: {}
    body: { prompt: string; upstream?: string | undefined; reason?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data: {
        model: string
        upstream: string
        text: string
        finish_reason?: string | undefined
        latency_ms: number
        usage: { prompt_tokens?: number | undefined; completion_tokens?: number | undefined }
        cost: { usd: string; basis: 'reported' | 'list' | 'estimated' }
      }
      request_id: string
    }
  }
  'GET /v1/operator/prices/waiting': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        model: string
        upstream: string
        reason: 'vanished' | 'moved'
        noticed_at: string
        old: Record<string, unknown>
        new: Record<string, unknown>
        changes: string[]
        prices: {
          name: string
          old_usd?: string | undefined
          new_usd?: string | undefined
          old_credits?: number | undefined
          new_credits?: number | undefined
        }[]
      }[]
      request_id: string
    }
  }
  'POST /v1/operator/prices/approval': {
    query: {}
    body: { ids: string[]; reason: string }
    answer: {
      status: 'success'
      code: 200
      data: { approved: string[]; request_id?: string | undefined }
      request_id: string
    }
  }
  'GET /v1/operator/models/{id}/prices': {
    query: { before?: string | number | boolean; limit?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        upstream: string
        at: string
        reason: 'first' | 'listed' | 'by_hand' | 'terms' | 'approved'
        operator?: string | undefined
        in_force: boolean
        priced: 'paid' | 'free' | 'unpriced'
        pricing: Record<string, unknown>
        margin: string
        credits_per_usd: string
      }[]
      request_id: string
    }
  }
  'POST /v1/operator/catalog/sync': {
    query: {}
    body: { believe?: boolean | undefined; reason: string }
    answer: {
      status: 'success'
      code: 200
      data: { added: number; priced: number; gone: number; waiting: number; failed: string[] }
      request_id: string
    }
  }
  'GET /v1/operator/outbox': {
    query: { state?: 'waiting' | 'sent' | 'dead' | 'folded'; limit?: string | number | boolean }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        channel: 'email' | 'sms'
        to?: string | undefined
        state: 'waiting' | 'sent' | 'dead' | 'folded'
        attempts: number
        last_error?: string | undefined
        resendable: boolean
        created_at: string
      }[]
      request_id: string
    }
  }
  'POST /v1/operator/outbox/{id}/resend': {
    query: {}
    body: { reason?: string | undefined }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'GET /v1/operator/webhooks': {
    query: {}
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        url: string
        description: string
        events: string[]
        enabled: boolean
        gone_at?: string | undefined
        previous_secret_until?: string | undefined
        created_at: string
      }[]
      request_id: string
    }
  }
  'POST /v1/operator/webhooks': {
    query: {}
    body: {
      url: string
      events: (
        | 'payment.completed'
        | 'payment.review'
        | 'account.suspended'
        | 'upstream.down'
        | 'unpaid.limit'
        | 'balance.low'
        | 'video.completed'
        | 'audit.head'
      )[]
      description?: string | undefined
      reason?: string | undefined
    }
    answer: {
      status: 'success'
      code: 201
      data: {
        id: string
        url: string
        description: string
        events: string[]
        enabled: boolean
        gone_at?: string | undefined
        previous_secret_until?: string | undefined
        created_at: string
        secret: string
      }
      request_id: string
    }
  }
  'PATCH /v1/operator/webhooks/{id}': {
    query: {}
    body: {
      url?: string | undefined
      events?:
        | (
            | 'payment.completed'
            | 'payment.review'
            | 'account.suspended'
            | 'upstream.down'
            | 'unpaid.limit'
            | 'balance.low'
            | 'video.completed'
            | 'audit.head'
          )[]
        | undefined
      description?: string | undefined
      enabled?: boolean | undefined
      reason?: string | undefined
    }
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        url: string
        description: string
        events: string[]
        enabled: boolean
        gone_at?: string | undefined
        previous_secret_until?: string | undefined
        created_at: string
      }
      request_id: string
    }
  }
  'DELETE /v1/operator/webhooks/{id}': {
    query: {}
    body: { reason?: string | undefined }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
  'POST /v1/operator/webhooks/{id}/secret': {
    query: {}
    body: { reason?: string | undefined }
    answer: {
      status: 'success'
      code: 200
      data: { secret: string; previous_secret_until: string }
      request_id: string
    }
  }
  'GET /v1/operator/webhooks/{id}/deliveries': {
    query: {
      state?: 'waiting' | 'delivered' | 'dead'
      before?: string | number | boolean
      limit?: string | number | boolean
    }
    body: undefined
    answer: {
      status: 'success'
      code: 200
      data: {
        id: string
        type: string
        state: 'waiting' | 'delivered' | 'dead'
        attempts: number
        last_status?: number | undefined
        last_error?: string | undefined
        last_try_at?: string | undefined
        next_try_at?: string | undefined
        created_at: string
        body: unknown
      }[]
      request_id: string
    }
  }
  'POST /v1/operator/webhooks/{id}/deliveries/{event_id}/replay': {
    query: {}
    body: { reason?: string | undefined }
    answer: { status: 'success'; code: 200; data: {}; request_id: string }
  }
}
