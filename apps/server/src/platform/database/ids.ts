const largestId = 2_147_483_647

/**
 * An id as the wire carries it, for a column of 4-byte integers. An id that no row can have becomes 0, which no row
 * has: the call is answered "does not exist" and not with an overflow of the database.
 */
export function idNumber(id: string): number {
  const number = Number(id)
  return Number.isInteger(number) && number > 0 && number <= largestId ? number : 0
}
