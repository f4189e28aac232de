/**
 * Secrets that the database keeps without being able to read them: AES-256-GCM with a key that is outside of it, in
 * SEAL_KEY, or else in a file of DATA_DIR.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface Sealer {
  /** `purpose` is bound to what is sealed: what was sealed for one purpose is not opened for another. */
  seal(text: string, purpose: string): string
  /** Null where it was sealed with another key or for another purpose, or was changed. */
  open(sealed: string, purpose: string): string | null
  /** The same for the same text and purpose, and nothing to be learned of the text without the key. */
  mark(text: string, purpose: string): string
}

const keyBytes = 32
const ivBytes = 12
const tagBytes = 16
const form = 'v1.'

export function createSealer(key: Buffer): Sealer {
  const markKey = Buffer.from(hkdfSync('sha256', key, '', 'mark', keyBytes))
  return {
    seal(text, purpose) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return form + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')
    },
    open(sealed, purpose) {
      if (!sealed.startsWith(form)) return null
      const bytes = Buffer.from(sealed.slice(form.length), 'base64')
      if (bytes.length < ivBytes + tagBytes) return null
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
          .setAAD(Buffer.from(purpose))
          .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
        const body = decipher.update(bytes.subarray(ivBytes + tagBytes))
        return Buffer.concat([body, decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
    mark: (text, purpose) => createHmac('sha256', markKey).update(`${purpose}\0${text}`).digest('base64url'),
  }
}

/** Whether a text is a key: 32 bytes in base64. */
export const isSealKey = (text: string): boolean => Buffer.from(text, 'base64').length === keyBytes

/**
 * The sealer of this installation. The key file is made by whoever asks first; processes on other machines have another
 * DATA_DIR and need SEAL_KEY.
 */
export function openSealer({ dataDir, sealKey }: { dataDir: string; sealKey?: string | undefined }): Sealer {
  let opened: Sealer | undefined
  /** Not before it is used: most installations never need the file. */
  const sealer = () => {
    opened ??= createSealer(
      sealKey === undefined ? readKeyFile(join(dataDir, 'seal.key')) : Buffer.from(sealKey, 'base64'),
    )
    return opened
  }
  return {
    seal: (text, purpose) => sealer().seal(text, purpose),
    open: (sealed, purpose) => sealer().open(sealed, purpose),
    mark: (text, purpose) => sealer().mark(text, purpose),
  }
}

function readKeyFile(path: string): Buffer {
  try {
    const fd = openSync(path, 'wx', 0o600)
    try {
      writeSync(fd, `${randomBytes(keyBytes).toString('base64')}\n`)
      // A key that a power cut takes along makes everything sealed with it useless.
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== keyBytes) throw new Error(`${path} holds no key`)
  return key
}
