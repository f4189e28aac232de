import { createHash, randomBytes } from 'node:crypto'
import type { DeviceProtocol } from '@voltkeep/contract'

const secretBytes = 24

/** A charging station's AuthorizationKey has 20 bytes at most, as hexadecimal digits. */
const keyBytes = 20

/** 192 random bits as 32 characters that any keyboard, file and shell takes; 160 for a charging station. */
export function makeSecret(protocol: DeviceProtocol = 'mqtt'): string {
  if (protocol === 'ocpp16') return randomBytes(keyBytes).toString('hex')
  return randomBytes(secretBytes).toString('base64url')
}

/**
 * What is stored of a secret. SHA-256 without salt or slowness: against that many random bits neither
 * adds anything, and a reconnect storm checks ten thousand of them in a second.
 */
export function hashSecret(secret: string | Buffer): Buffer {
  return createHash('sha256').update(secret).digest()
}
