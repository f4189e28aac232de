import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** How long a browser stays known after its last sign-in. */
export const knownForSeconds = 180 * 86_400

/** The content of a browser's cookie, once its signature has been checked. */
export interface Claim {
  /** Of the browser: its failures are counted by it. */
  id: string
  userId: number
  /** Of the user's password when the browser signed in. */
  passwordTag: string
}

interface Owner {
  userId: number
  passwordHash: string
}

/** A browser that is forgotten here goes first once more. */
const doubtedAtMost = 10_000

const tokenPattern = /^(\d{1,10})\.(\d{1,12})\.([\w-]{16})\.([\w-]{16})\.([\w-]{43})$/

/**
 * Browsers that have signed in before, by a signed cookie: user, time, the browser's id and a tag of the password.
 * Nothing is stored. The cookie only lets its owner try this user's password apart from strangers; it is valid until
 * the password changes, which may have been because somebody else had the browser.
 */
export function createBrowsers(readKey: () => Promise<Buffer>) {
  const sign = async (text: string) =>
    createHmac('sha256', await readKey())
      .update(text)
      .digest('base64url')
  const tagOf = async (passwordHash: string) => (await sign(`password ${passwordHash}`)).slice(0, 16)

  /** Whose claim is being looked up, or was of nobody or of another user when it was. */
  const doubted = new Set<string>()

  return {
    /** The cookie of a browser with which this user has signed in just now; a known one keeps its id. */
    async issue(
      { userId, passwordHash }: Owner,
      id = randomBytes(12).toString('base64url'),
    ): Promise<string> {
      const issuedAt = Math.floor(Date.now() / 1000)
      const text = `${userId}.${issuedAt}.${id}.${await tagOf(passwordHash)}`
      return `${text}.${await sign(`browser ${text}`)}`
    },

    /**
     * Null for a cookie that this installation has not signed, or that is too old. `isKnown` says whether it is still
     * valid.
     */
    async read(cookie: string | undefined): Promise<Claim | null> {
      const [, userId, issuedAt, id, passwordTag, signature] = tokenPattern.exec(cookie ?? '') ?? []
      if (!userId || !issuedAt || !id || !passwordTag || !signature) return null
      const wanted = await sign(`browser ${userId}.${issuedAt}.${id}.${passwordTag}`)
      if (!timingSafeEqual(Buffer.from(wanted), Buffer.from(signature))) return null
      if (Number(issuedAt) + knownForSeconds < Date.now() / 1000) return null
      return { id, userId: Number(userId), passwordTag }
    },

    /**
     * Whether its claim is looked up before those of strangers: one at a time, and none that `isKnown` has refused. A cookie
     * that is signed is no more than that, and its user may be long gone.
     */
    goesFirst({ id }: Claim): boolean {
      if (doubted.has(id)) return false
      doubted.add(id)
      if (doubted.size > doubtedAtMost) doubted.delete(doubted.values().next().value as string)
      return true
    },

    /** Whether this user has signed in with the browser, with the password of today. */
    async isKnown(claim: Claim, owner: Owner | undefined): Promise<boolean> {
      const isKnown =
        claim.userId === owner?.userId && claim.passwordTag === (await tagOf(owner.passwordHash))
      if (isKnown) doubted.delete(claim.id)
      return isKnown
    },
  }
}

export type Browsers = ReturnType<typeof createBrowsers>
