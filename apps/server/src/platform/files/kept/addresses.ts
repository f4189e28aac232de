// Signed addresses that expire: a file to read, or a place for an upload, for one holder.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { refuse } from '../../calls/refusal.ts'
import { sharedNowMs } from '../../process/clocks/shared-clock.ts'

/** Whom an address of a file was made for: a device, or a user who passes it on. */
export type HolderKind = 'device' | 'user'

/** What a signed address says. */
export interface SignedAddress {
  fileId: string
  /** The device's code or the user's login name. Which of them it is, is signed and not shown. */
  holder: string
  /** Seconds since 1970, as text. */
  expires: string
  signature: string
}

/** Made once for each secret: given bytes, every signature would make a key object, which takes longer than signing. */
const keyObjects = new WeakMap<Buffer, KeyObject>()

function hmacOf(key: Buffer, parts: readonly string[]): Buffer {
  const keyObject = keyObjects.get(key) ?? createSecretKey(key)
  keyObjects.set(key, keyObject)
  return createHmac('sha256', keyObject).update(parts.join('\n')).digest()
}

const purposes = { device: 'file', user: 'user file' } as const satisfies Record<HolderKind, string>

function signatureOf(
  key: Buffer,
  kind: HolderKind,
  { fileId, holder, expires }: Omit<SignedAddress, 'signature'>,
): Buffer {
  // No part can contain a line break, so no two addresses sign the same text.
  return hmacOf(key, [purposes[kind], fileId, holder, expires])
}

/** `/files/<file>/<holder>?expires=<seconds since 1970>&signature=<HMAC-SHA256, base64url>` */
export function signAddress(
  key: Buffer,
  kind: HolderKind,
  { holder, fileId, expiresAt }: { holder: string; fileId: string; expiresAt: Date },
): string {
  const expires = String(Math.ceil(expiresAt.getTime() / 1000))
  const signature = signatureOf(key, kind, { fileId, holder, expires }).toString('base64url')
  return `/files/${fileId}/${encodeURIComponent(holder)}?expires=${expires}&signature=${signature}`
}

/**
 * Returns whom the address was made for. Throws `addressInvalid` where the signature does not match, and
 * `addressExpired` where the time is over.
 */
export function checkAddress(key: Buffer, address: SignedAddress): HolderKind {
  const kind = (['device', 'user'] as const).find((one) =>
    isSigned(address.signature, signatureOf(key, one, address)),
  )
  if (!kind) return refuse('addressInvalid')
  if (isPast(address.expires)) refuse('addressExpired')
  return kind
}

/** What a signed address for an upload says. */
export interface SignedUploadAddress {
  /** The feature that receives the file. */
  purpose: string
  /** The row that the feature receives it for: its id. */
  id: string
  /** The device that the address was made for. */
  deviceCode: string
  /** Seconds since 1970, as text. */
  expires: string
  signature: string
}

function uploadSignatureOf(
  key: Buffer,
  { purpose, id, deviceCode, expires }: Omit<SignedUploadAddress, 'signature'>,
): Buffer {
  return hmacOf(key, ['upload', purpose, id, deviceCode, expires])
}

/** `/uploads/<purpose>/<id>/<device>?expires=<seconds since 1970>&signature=<HMAC-SHA256, base64url>` */
export function signUploadAddress(
  key: Buffer,
  { expiresAt, ...address }: Pick<SignedUploadAddress, 'purpose' | 'id' | 'deviceCode'> & { expiresAt: Date },
): string {
  const { purpose, id, deviceCode } = address
  const expires = String(Math.ceil(expiresAt.getTime() / 1000))
  const signature = uploadSignatureOf(key, { ...address, expires }).toString('base64url')
  const path = [purpose, id, deviceCode].map(encodeURIComponent).join('/')
  return `/uploads/${path}?expires=${expires}&signature=${signature}`
}

/**
 * Throws `uploadAddressInvalid` where the signature does not match, and `uploadAddressExpired` where the time is over.
 */
export function checkUploadAddress(key: Buffer, address: SignedUploadAddress): void {
  if (!isSigned(address.signature, uploadSignatureOf(key, address))) refuse('uploadAddressInvalid')
  if (isPast(address.expires)) refuse('uploadAddressExpired')
}

function isSigned(signature: string, expected: Buffer): boolean {
  const given = Buffer.from(signature, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const isPast = (expires: string) => Number(expires) * 1000 <= sharedNowMs()
