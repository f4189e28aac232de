import { Password } from '@voltkeep/contract/session'
import { safeParse } from 'zod/mini'

/** Without letters and digits that are taken for one another when read aloud or copied by hand. */
const characters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const length = 12

/** What the form of a new user begins with: 70 random bits that the rule for passwords takes. */
export function presetPassword(): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(length * 4))
    // A byte beyond the last whole round would make the first characters likelier.
    const fair = [...bytes].filter((byte) => byte < 256 - (256 % characters.length))
    const password = fair
      .slice(0, length)
      .map((byte) => characters[byte % characters.length])
      .join('')
    if (password.length === length && safeParse(Password, password).success) return password
  }
}
