import { createHmac, timingSafeEqual } from 'node:crypto'
import { refuse } from '../refusal.ts'

/** What a signed address says. */
export interface SignedAddress {
  fileId: string
  /** The device that the address was made for. */
  deviceCode: string
  /** Seconds since 1970, as text. */
  expires: string
  signature: string
}

function signatureOf(key: Buffer, { fileId, deviceCode, expires }: Omit<SignedAddress, 'signature'>): Buffer {
  // No part can contain a line break, so no two addresses sign the same text.
  return createHmac('sha256', key).update(['file', fileId, deviceCode, expires].join('\n')).digest()
}

/** `/files/<file>/<device>?expires=<seconds since 1970>&signature=<HMAC-SHA256, base64url>` */
export function signAddress(
  key: Buffer,
  { deviceCode, fileId, expiresAt }: { deviceCode: string; fileId: string; expiresAt: Date },
): string {
  const expires = String(Math.ceil(expiresAt.getTime() / 1000))
  const signature = signatureOf(key, { fileId, deviceCode, expires }).toString('base64url')
  return `/files/${fileId}/${encodeURIComponent(deviceCode)}?expires=${expires}&signature=${signature}`
}

/** Refuses with `addressInvalid` what was not signed like this, and with `addressExpired` what is too old. */
export function checkAddress(key: Buffer, address: SignedAddress): void {
  const expected = signatureOf(key, address)
  const given = Buffer.from(address.signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) refuse('addressInvalid')
  if (Number(address.expires) * 1000 <= Date.now()) refuse('addressExpired')
}
