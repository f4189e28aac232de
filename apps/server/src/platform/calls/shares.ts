// Shares of what there is so much of for everybody, by groups that lie within each other.

/**
 * Whether there is room for `more` of what the groups have, from the outermost to the own one: each has at most half of what
 * the others around it leave of what the group around it may have. So none keeps the others from theirs, also not by groups
 * that it makes within itself. `all`: of everybody. The outermost has `always`, whatever the others have.
 */
export function leavesOthers(
  groups: readonly number[],
  { all, inAll, always = 0 }: { all: number; inAll: number; always?: number },
  more = 1,
): boolean {
  let share = inAll
  let around = all
  for (const own of groups) {
    share = (share - (around - own)) / 2
    around = own
  }
  return around + more <= share || (groups[0] ?? 0) + more <= always
}
