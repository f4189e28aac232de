import type { RefusalName } from '@voltkeep/contract'
import { refuse } from '../refusal.ts'

/**
 * Places that users have for something that lasts: at most `perUser` for each, and `inAll`. `take` throws `ownRefusal` or
 * `refusal` where there is none, and answers what gives the place back.
 */
export function createPlaces({
  perUser,
  inAll = Number.POSITIVE_INFINITY,
  ownRefusal,
  refusal = ownRefusal,
}: {
  perUser: number
  inAll?: number
  ownRefusal: RefusalName
  refusal?: RefusalName
}): { take(userId: number): () => void } {
  const taken = new Map<number, number>()
  let all = 0
  return {
    take(userId) {
      const own = taken.get(userId) ?? 0
      if (own >= perUser) refuse(ownRefusal)
      if (all >= inAll) refuse(refusal)
      taken.set(userId, own + 1)
      all += 1
      let isGiven = false
      return () => {
        if (isGiven) return
        isGiven = true
        all -= 1
        const left = (taken.get(userId) ?? 1) - 1
        if (left > 0) taken.set(userId, left)
        else taken.delete(userId)
      }
    },
  }
}
