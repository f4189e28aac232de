import { createHash } from 'node:crypto'

/** Of ten thousand users with a browser each. */
const tokensAtMost = 10_000

/**
 * Whose the tokens are with which calls have succeeded lately: so a call waits with its user's others before it is known
 * who calls. It permits nothing. Only hashes are kept.
 */
export function createKnownTokens() {
  const users = new Map<string, number>()
  const keyOf = (token: string) => createHash('sha256').update(token).digest('base64')
  return {
    userOf(token: string): number | undefined {
      return users.get(keyOf(token))
    },
    learn(token: string, userId: number): void {
      const key = keyOf(token)
      // The one used longest ago comes first.
      users.delete(key)
      users.set(key, userId)
      const [oldest] = users.keys()
      if (users.size > tokensAtMost && oldest !== undefined) users.delete(oldest)
    },
    forget(token: string): void {
      users.delete(keyOf(token))
    },
  }
}
