/** The attempts of the last 15 minutes. A pending attempt is one whose password is being checked. */
export interface Counts {
  pairFailed: number
  pairPending: number
  addressFailed: number
  addressPending: number
  /** Failed and pending with the name, from wherever; without those of known browsers. */
  nameTried: number
  /** Since the last of them, in milliseconds; null where there is none. */
  sinceNameTriedMs: number | null
}

export interface Limits {
  /** Failures of one name from one address. */
  pair: number
  /** Failures from one address, with whatever names. */
  address: number
  /** From this number on, a name is tried at most once in `nameSpacingMs`. */
  name: number
  nameSpacingMs: number
}

export type Verdict =
  | { is: 'allowed' }
  | { is: 'refused'; by: 'pair' | 'address' }
  | { is: 'waiting'; for: 'others' | 'turn'; ms: number }

const retryMs = 40

/**
 * Whether a password may be checked now. `isAlone` is counted by its pair alone: a known browser, and the dialog that
 * changes a password.
 */
export function verdictOn(counts: Counts, limits: Limits, isAlone: boolean): Verdict {
  const { pairFailed, pairPending, addressFailed, addressPending, nameTried, sinceNameTriedMs } = counts
  if (pairFailed >= limits.pair) return { is: 'refused', by: 'pair' }
  if (!isAlone && addressFailed >= limits.address) return { is: 'refused', by: 'address' }
  const isCrowded =
    pairFailed + pairPending >= limits.pair || (!isAlone && addressFailed + addressPending >= limits.address)
  if (isCrowded) return { is: 'waiting', for: 'others', ms: retryMs }
  if (!isAlone && nameTried >= limits.name && sinceNameTriedMs !== null) {
    const ms = limits.nameSpacingMs - sinceNameTriedMs
    if (ms > 0) return { is: 'waiting', for: 'turn', ms: Math.max(ms, retryMs) }
  }
  return { is: 'allowed' }
}
