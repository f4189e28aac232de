// Shares of what there is so much of for everybody, by groups that lie within each other.

interface Shared {
  /** Of everybody. */
  all: number
  inAll: number
  /** What the outermost group has, whatever the others have. */
  always?: number
}

/**
 * How much more there is room for of what the groups have, from the outermost to the own one: each has at most half of what
 * the others around it leave of what the group around it may have. So none keeps the others from theirs, also not by groups
 * that it makes within itself. Less than one, also than none, where it is full.
 */
export function roomBeside(groups: readonly number[], { all, inAll, always = 0 }: Shared): number {
  let share = inAll
  let around = all
  for (const own of groups) {
    share = (share - (around - own)) / 2
    around = own
  }
  return Math.max(share - around, always - (groups[0] ?? 0))
}

/** Whether there is room for so much more. */
export const leavesOthers = (groups: readonly number[], shared: Shared, more = 1): boolean =>
  more <= roomBeside(groups, shared)
