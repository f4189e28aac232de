const [tries, rounds] = [5, 10]

/**
 * How many times as long work takes on a text that is eight times as long, by the quickest of several tries: about 8 where
 * it grows with the text, 64 and more where it grows with its square.
 */
export function growthOf(work: (text: string) => unknown, textOf: (length: number) => string, length = 500) {
  const quickest = (text: string) => {
    let best = Number.POSITIVE_INFINITY
    for (let n = 0; n < tries; n += 1) {
      const since = performance.now()
      for (let round = 0; round < rounds; round += 1) work(text)
      best = Math.min(best, performance.now() - since)
    }
    return best
  }
  const [short, long] = [textOf(length), textOf(8 * length)]
  quickest(short)
  return quickest(long) / quickest(short)
}

/** Above it, work grows with more than its text. */
export const mostGrowth = 25
