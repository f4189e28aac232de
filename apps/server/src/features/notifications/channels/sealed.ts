import type { ChannelKind } from '@voltkeep/contract'
import type { Sealer } from '../../../platform/process/sealing.ts'
import { isLetter } from '../senders/index.ts'
import type { Target } from '../senders/sender.ts'

const addressPurpose = 'notify_channel.address'
const secretPurpose = 'notify_channel.secret'

export const sealAddress = (sealer: Sealer, address: string) => sealer.seal(address, addressPurpose)
export const sealSecret = (sealer: Sealer, secret: string) => sealer.seal(secret, secretPurpose)

const ratePurpose = 'notify_channel.rate'

/**
 * Whose rate a channel uses: of robots and webhooks that of their address, which other channels may have, too. Letters go
 * to receivers, of whom each channel has its own. Null: the address cannot be read, or the channel of letters has no id yet.
 */
export const rateKeyOf = (
  sealer: Sealer,
  { id, kind, address }: { id: number | null; kind: ChannelKind; address: string | null },
): string | null => {
  if (isLetter(kind)) return id === null ? null : `channel ${id}`
  return address === null ? null : sealer.mark(address, ratePurpose)
}

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
