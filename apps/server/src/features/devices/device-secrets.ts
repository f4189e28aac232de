import { createHash, randomBytes } from 'node:crypto'

const secretBytes = 24

/** 192 random bits as 32 characters that any keyboard, file and shell takes. */
export function makeSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/**
 * What is stored of a secret. SHA-256 without salt or slowness: against that many random bits neither
 * adds anything, and a reconnect storm checks ten thousand of them in a second.
 */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest()
}
