/** Who runs the server: spread into the options of `spawn`. Empty means: whoever we are. */
export type RunAs = { uid?: number; gid?: number }

type Owner = { uid: number; gid: number }
type Account = Owner & { name: string }

/**
 * PostgreSQL refuses to run as root, so root lends it to another account: to the owner of the data
 * where there are some, else to `postgres`, else to nobody.
 */
export function chooseRunAs(now: {
  uid: number | undefined
  passwd: string
  dataOwner?: Owner | undefined
}): RunAs {
  if (now.uid !== 0) return {}
  if (now.dataOwner !== undefined && now.dataOwner.uid !== 0) return now.dataOwner
  const known = accounts(now.passwd).filter((one) => one.uid !== 0)
  const found =
    known.find((one) => one.name === 'postgres') ??
    known.find((one) => one.uid === NOBODY) ??
    known.find((one) => one.name === 'nobody')
  return found ? { uid: found.uid, gid: found.gid } : { uid: NOBODY, gid: NOBODY }
}

const NOBODY = 65_534

function accounts(passwd: string): Account[] {
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    const whole = name !== undefined && /^\d+$/.test(uid ?? '') && /^\d+$/.test(gid ?? '')
    return whole ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}
