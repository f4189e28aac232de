import { randomBytes, randomInt } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Password } from '@voltkeep/contract'
import * as z from 'zod/mini'

// The library's defaults are argon2id with OWASP's first recommendation: 19 MiB, two passes, one thread.

/** A PHC string, salt and parameters included. */
export const hashPassword = (password: string): Promise<string> => hash(password)

let unusedHash: Promise<string> | undefined

/**
 * Whether the password is the one that was hashed. Without a hash (no such user) it takes as long and
 * answers false: the time of a refusal must not tell which names exist.
 */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  unusedHash ??= hash(randomBytes(32))
  const isRight = await verify(passwordHash ?? (await unusedHash), password)
  return isRight && passwordHash !== null
}

/** Without letters and digits that look alike on a console. */
const readableCharacters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** 16 characters, 92 bits, of at least two kinds, which the password rule demands. */
export function randomPassword(): string {
  for (;;) {
    const password = Array.from(
      { length: 16 },
      () => readableCharacters[randomInt(readableCharacters.length)],
    )
    if (z.safeParse(Password, password.join('')).success) return password.join('')
  }
}
