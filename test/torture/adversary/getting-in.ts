import { freshEmail, PASSWORD } from '../../support/accounts.ts'
import type { ClientAnswer } from '../load/client.ts'
import { askAs, inParallel, topUp, type Strategy, type Thief } from './thief.ts'

/** Asks for the codes of somebody else's number, and guesses them. */
const othersPhones: Strategy = {
  name: "codes of others' phones",
  weight: 1,
  async play(thief) {
    const phone = await phoneOf(thief)
    const who = { identifier: phone, channel: 'phone', purpose: 'verify_phone' }
    const asked = [
      await ask(thief, 'POST /v1/auth/otp/resend', who),
      await askAs(thief, {
        endpoint: 'POST /v1/me/phone',
        token: thief.token,
        body: { phone_number: phone },
      }),
    ]
    const guesses = await inParallel(8, () =>
      ask(thief, 'POST /v1/auth/otp/verify', { ...who, code: guess(thief) }),
    )
    if (guesses.some(({ status }) => status === 200))
      thief.den.violation(`a code of ${phone} was guessed`)
    return [...asked, ...guesses].every(({ status }) => status > 0)
  },
}

/** Uses up what somebody may try and ask, from many networks; the owner must get in all the same. */
const lockingOut: Strategy = {
  name: 'locking owners out',
  weight: 1,
  async play(thief) {
    const { email: identifier } = thief.random.pick(thief.den.honest)
    const mail = { identifier, channel: 'email' }
    const tries = await inParallel(12, (nth) => {
      const one = elsewhere(thief, 70 + (nth % 4))
      if (nth % 3 === 0) return ask(one, 'POST /v1/auth/password/forgot', { identifier })
      if (nth % 3 === 1) return ask(one, 'POST /v1/auth/login', { identifier, password: 'a guess' })
      const wrong = { ...mail, purpose: 'verify_email', code: guess(thief) }
      return ask(one, 'POST /v1/auth/otp/verify', wrong)
    })
    const owner = elsewhere(thief, 90)
    const login = await ask(owner, 'POST /v1/auth/login', { identifier, password: PASSWORD })
    if (login.status === 429) thief.den.violation(`${identifier} was locked out`)
    return [...tries, login].every(({ status }) => status > 0)
  },
}

/** Registers with the address of somebody who is registering, before and after. */
const registrations: Strategy = {
  name: "others' registrations",
  weight: 0.5,
  async play(thief) {
    const email = freshEmail()
    const register = (one: Thief, password: string) =>
      ask(one, 'POST /v1/auth/register', { full_name: 'Asha', email, password })
    const owner = elsewhere(thief, 91)
    const steps = [
      await register(thief, `${PASSWORD} mwizi`),
      await register(owner, PASSWORD),
      await register(elsewhere(thief, 92), `${PASSWORD} mwizi`),
    ]
    const login = await ask(owner, 'POST /v1/auth/login', { identifier: email, password: PASSWORD })
    if (steps[1]!.status === 201 && login.status === 401)
      thief.den.violation(`the registration of ${email} is gone`)
    return [...steps, login].every(({ status }) => status > 0)
  },
}

/** Word of a payment that is over: forged, and true but late and many times. */
const callbacks: Strategy = {
  name: 'callbacks for completed payments',
  weight: 1,
  async play(thief) {
    const { control } = thief.den.world.money
    const done = control.payments().filter(({ status }) => status === 'completed')
    if (done.length === 0) {
      await topUp(thief)
      return false
    }
    const payment = thief.random.pick(done)
    const forged = { webhookSecret: 'guessed', checksumKey: 'guessed' }
    const wrong = control.callback(payment, { signing: forged })
    const late = control.callback(payment, { status: 'failed' })
    const right = control.callback(payment)
    const sent = [wrong, late, right, right].map(({ headers, body }) =>
      askAs(thief, {
        endpoint: 'POST /v1/payments/callbacks/snippe',
        token: undefined,
        headers,
        raw: Buffer.from(body),
      }),
    )
    const [refused, ...taken] = await Promise.all(sent)
    if (refused!.status < 400) thief.den.violation('a forged callback was accepted')
    return taken.every(({ status }) => status > 0)
  },
}

/** Many sign-ups that are never completed, and codes to numbers that cost much. */
const messages: Strategy = {
  name: 'messages for nobody',
  weight: 0.5,
  async play(thief) {
    const signUps = await inParallel(3, () =>
      ask(thief, 'POST /v1/auth/register', {
        full_name: 'Mwizi',
        email: freshEmail(),
        password: PASSWORD,
      }),
    )
    const abroad = await askAs(thief, {
      endpoint: 'POST /v1/me/phone',
      token: thief.token,
      body: { phone_number: `+4477009${thief.random.between(10_000, 99_999)}` },
    })
    return [...signUps, abroad].every(({ status }) => status > 0)
  },
}

export const GETTING_IN = [othersPhones, lockingOut, registrations, callbacks, messages]

/** The same thief, or somebody else, in one of many networks. */
function elsewhere(thief: Thief, net: number): Thief {
  const { random } = thief
  return { ...thief, address: `10.${net}.${random.between(0, 255)}.${random.between(1, 254)}` }
}

function ask(thief: Thief, endpoint: string, body: object): Promise<ClientAnswer> {
  return askAs(thief, { endpoint, token: undefined, body })
}

async function phoneOf({ den, random }: Thief): Promise<string> {
  const [row] = await den.world.db.query<{ phone_number: string }>(
    'select phone_number from accounts where id = $1',
    [random.pick(den.honest).accountId],
  )
  return row!.phone_number
}

function guess({ random }: Thief): string {
  return String(random.between(0, 999_999)).padStart(6, '0')
}
