import type { Sealer } from '../../../platform/process/sealing.ts'
import type { Target } from '../senders/sender.ts'

const addressPurpose = 'notify_channel.address'
const secretPurpose = 'notify_channel.secret'

export const sealAddress = (sealer: Sealer, address: string) => sealer.seal(address, addressPurpose)
export const sealSecret = (sealer: Sealer, secret: string) => sealer.seal(secret, secretPurpose)

/** Where a channel sends to; null where it was sealed with another key. */
export function openTarget(
  sealer: Sealer,
  sealed: { address: string; secret: string | null },
): Target | null {
  const address = sealer.open(sealed.address, addressPurpose)
  const secret = sealed.secret === null ? null : sealer.open(sealed.secret, secretPurpose)
  if (address === null || (sealed.secret !== null && secret === null)) return null
  return { address, secret }
}
