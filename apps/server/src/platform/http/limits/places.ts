import type { RefusalName } from '@voltkeep/contract'
import { refuse } from '../../calls/refusal.ts'
import { leavesOthers } from '../../calls/shares.ts'

/**
 * Places that users have for something that lasts: at most `perUser` for each, and `inAll`. Of these a group of users (an
 * organization) has half of what the others leave, the group within it half of that, and so on; the outermost has `always`,
 * whatever the others have. `take` throws `ownRefusal` or `refusal` where there is none, and returns what gives the place back.
 */
export function createPlaces({
  perUser,
  inAll = Number.POSITIVE_INFINITY,
  always = 0,
  ownRefusal,
  refusal = ownRefusal,
}: {
  perUser: number
  inAll?: number
  always?: number
  ownRefusal: RefusalName
  refusal?: RefusalName
}): { take(userId: number, groups: readonly number[]): () => void } {
  const taken = new Map<number, number>()
  const takenByGroup = new Map<number, number>()
  let all = 0
  return {
    take(userId, groups) {
      const own = taken.get(userId) ?? 0
      if (own >= perUser) refuse(ownRefusal)
      const ofGroups = groups.map((group) => takenByGroup.get(group) ?? 0)
      if (!leavesOthers(ofGroups, { all, inAll, always })) refuse(refusal)
      taken.set(userId, own + 1)
      for (const group of groups) takenByGroup.set(group, (takenByGroup.get(group) ?? 0) + 1)
      all += 1
      let isGiven = false
      return () => {
        if (isGiven) return
        isGiven = true
        all -= 1
        giveBack(taken, userId)
        for (const group of groups) giveBack(takenByGroup, group)
      }
    },
  }
}

function giveBack(taken: Map<number, number>, key: number): void {
  const left = (taken.get(key) ?? 1) - 1
  if (left > 0) taken.set(key, left)
  else taken.delete(key)
}

/**
 * What several have together, each for its own time, ends with the last of them: each call is one more who holds it, and
 * returns what lets go.
 */
export function heldUntilLast(end: () => void): () => () => void {
  let holders = 0
  return () => {
    holders += 1
    let holds = true
    return () => {
      if (!holds) return
      holds = false
      holders -= 1
      if (holders === 0) end()
    }
  }
}
