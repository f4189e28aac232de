import type { RefusalName } from '@voltkeep/contract'
import { refuse } from '../../calls/refusal.ts'

/**
 * Places that users have for something that lasts: at most `perUser` for each, and `inAll`. A group of users (an
 * organization) gets no more than it leaves free, so that half of the places are there for others, half of the rest for
 * yet others, and so on. `take` throws `ownRefusal` or `refusal` where there is none, and returns what gives the place
 * back.
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
}): { take(userId: number, group: number): () => void } {
  const taken = new Map<number, number>()
  const takenByGroup = new Map<number, number>()
  let all = 0
  return {
    take(userId, group) {
      const own = taken.get(userId) ?? 0
      if (own >= perUser) refuse(ownRefusal)
      const ofGroup = takenByGroup.get(group) ?? 0
      if (ofGroup >= inAll - all) refuse(refusal)
      taken.set(userId, own + 1)
      takenByGroup.set(group, ofGroup + 1)
      all += 1
      let isGiven = false
      return () => {
        if (isGiven) return
        isGiven = true
        all -= 1
        giveBack(taken, userId)
        giveBack(takenByGroup, group)
      }
    },
  }
}

function giveBack(taken: Map<number, number>, key: number): void {
  const left = (taken.get(key) ?? 1) - 1
  if (left > 0) taken.set(key, left)
  else taken.delete(key)
}
