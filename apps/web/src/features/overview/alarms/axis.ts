/** The marks of an axis from 0 to at least the largest value: few, at round numbers. */
export function axisMarks(largest: number): number[] {
  if (largest <= 0) return [0]
  for (let power = 1; ; power *= 10) {
    for (const digit of [1, 2, 5]) {
      const step = digit * power
      const steps = Math.ceil(largest / step)
      if (steps <= 4) return Array.from({ length: steps + 1 }, (_, at) => at * step)
    }
  }
}
