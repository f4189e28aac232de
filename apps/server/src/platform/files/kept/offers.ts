// Whether a signed address still holds: its signature says that it was given, not that it still would be.
import type { HolderKind } from './addresses.ts'

/** A file that a feature would give the address of now. */
export interface Offer {
  /** The functions by one of which a user gets the address; empty: it is for devices alone. */
  functionCodes: readonly string[]
}

/** What features say about holders and files. */
export interface OfferSource {
  isDevice?(code: string): Promise<boolean>
  isUser?(userId: number, functionCodes: readonly string[]): Promise<boolean>
  /** `deviceCode`: whom the address was made for; null for a user's. */
  offers?(fileId: string, deviceCode: string | null): Promise<Offer | null>
}

/** What an address was made for. */
export interface Addressed {
  kind: HolderKind
  /** The device's code or the user's login name. */
  holder: string
  fileId: string
}

/**
 * Whether an address would be given now: the device is registered, or the user is there, enabled and has the function,
 * and a feature still offers the file.
 */
export async function isStillGiven(
  sources: readonly OfferSource[],
  { kind, holder, fileId }: Addressed,
): Promise<boolean> {
  const deviceCode = kind === 'device' ? holder : null
  const answers = await Promise.all(
    sources.map(async (source) => (await source.offers?.(fileId, deviceCode)) ?? null),
  )
  const offers = answers.filter((offer) => offer !== null)
  if (offers.length === 0) return false
  if (kind === 'device') return (await sources.find(({ isDevice }) => isDevice)?.isDevice?.(holder)) ?? false
  const codes = offers.flatMap(({ functionCodes }) => functionCodes)
  if (codes.length === 0) return false
  const userId = Number(holder)
  // Addresses once named users, and a name may be given to another user.
  if (!Number.isSafeInteger(userId)) return false
  return (await sources.find(({ isUser }) => isUser)?.isUser?.(userId, codes)) ?? false
}
