// Notices when a clock is set, or when the machine slept: the steady clock of the process shows it.

const lookEveryMs = 1_000
/** What is corrected by less than this between two looks is corrected all the time. */
const toleranceMs = 1_000

/**
 * Compares a clock with the steady one from look to look. The returned function takes the clock's present time and
 * returns by how many ms it was set since the last look, negative where it was set back, 0 where it has gone evenly.
 * `unsureMs` is how long the reading may have been on its way.
 */
export function createClockComparison(steady: () => number = () => performance.now()) {
  let last: { wallMs: number; steadyMs: number } | undefined
  return (wallMs: number, unsureMs = 0): number => {
    const steadyMs = steady()
    const byMs = last ? wallMs - last.wallMs - (steadyMs - last.steadyMs) : 0
    last = { wallMs, steadyMs }
    return Math.abs(byMs) > toleranceMs + unsureMs ? byMs : 0
  }
}

/**
 * Calls back with the ms by which the clock of this machine was set, once for each time, until the returned function is
 * called. It asks nobody but the machine.
 */
export function watchClock(
  jumped: (byMs: number) => void,
  { wall = Date.now, steady }: { wall?: () => number; steady?: () => number } = {},
): () => void {
  const compare = createClockComparison(steady)
  const look = () => {
    const byMs = compare(wall())
    if (byMs !== 0) jumped(byMs)
  }
  look()
  const timer = setInterval(look, lookEveryMs)
  return () => clearInterval(timer)
}
