import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { apiKeyPrefix } from '@voltkeep/contract'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 190 bits, which nobody guesses: a plain hash suffices to keep it. */
const randomLetters = 32
/** Of the checksum: 62⁶ is more than 2³². */
const checkLetters = 6
const form = new RegExp(`^${apiKeyPrefix}[0-9A-Za-z]{${randomLetters + checkLetters}}$`)

/** Six letters by which a scanner of sources tells a key from other text without asking the server. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let sum = ''
  for (let n = 0; n < checkLetters; n += 1) {
    sum = letters.charAt(rest % letters.length) + sum
    rest = Math.floor(rest / letters.length)
  }
  return sum
}

export function newSecret(): string {
  const random = Array.from({ length: randomLetters }, () => letters.charAt(randomInt(letters.length)))
  const text = apiKeyPrefix + random.join('')
  return text + checksumOf(text)
}

/** Whether a token is meant as a key, even if it is none. */
export const isApiKey = (token: string): boolean => token.startsWith(apiKeyPrefix)

/** Whether the letters are those of a key: what was made up or cut off is refused without a query. */
export const isWellFormed = (token: string): boolean =>
  form.test(token) && checksumOf(token.slice(0, -checkLetters)) === token.slice(-checkLetters)

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** By which its holder knows it, and nobody else learns anything. */
export const hintOf = (secret: string): string => secret.slice(-4)
