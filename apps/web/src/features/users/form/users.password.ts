import { Password } from '@voltkeep/contract/session'
import { safeParse } from 'zod/mini'

/** Without letters and digits that are confused when read aloud or copied by hand. */
const characters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const length = 12

/** The preset password of a new user: 70 random bits, valid by the password rule. */
export function presetPassword(): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(length * 4))
    // Rejection sampling: a byte beyond the last whole multiple would make the first characters more likely.
    const fair = [...bytes].filter((byte) => byte < 256 - (256 % characters.length))
    const password = fair
      .slice(0, length)
      .map((byte) => characters[byte % characters.length])
      .join('')
    if (password.length === length && safeParse(Password, password).success) return password
  }
}
