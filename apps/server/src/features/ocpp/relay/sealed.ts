// What proves a station to its maker's platform, as the database keeps it: readable with the key of the installation alone.
import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Sealer } from '../../../platform/process/sealing.ts'
import type { RelayTarget } from './back-office.ts'

const passwordPurpose = 'ocpp_relay.password'
const tlsPurpose = 'ocpp_relay.tls'

export type RelayTls = RelayTarget['tls']

export const sealPassword = (sealer: Sealer, password: string) => sealer.seal(password, passwordPurpose)
export const sealTls = (sealer: Sealer, tls: RelayTls) => sealer.seal(JSON.stringify(tls), tlsPurpose)

export const openTls = (sealer: Sealer, sealed: string | null): RelayTls | null => {
  if (sealed === null) return {}
  const text = sealer.open(sealed, tlsPurpose)
  return text === null ? null : (JSON.parse(text) as RelayTls)
}

/** Null where they were sealed with another key. */
export function openSecrets(
  sealer: Sealer,
  sealed: { password: string | null; tls: string | null },
): Pick<RelayTarget, 'password' | 'tls'> | null {
  const password = sealed.password === null ? null : sealer.open(sealed.password, passwordPurpose)
  const tls = openTls(sealer, sealed.tls)
  if (tls === null || (sealed.password !== null && password === null)) return null
  return { password, tls }
}

/** Whether they can be used: PEM texts, and a key that is the certificate's. */
export function isUsable(tls: RelayTls): boolean {
  try {
    // A context takes any text for an authority.
    if (tls.ca !== undefined) new X509Certificate(tls.ca)
    createSecureContext(tls)
    return true
  } catch {
    return false
  }
}
