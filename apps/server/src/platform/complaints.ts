const pauseMs = 5_000

/**
 * For what fails once a device or connection, a thousand times a second: says it at once and then every five
 * seconds at most, with how often it was since.
 */
export function createComplaints(say: (error: unknown, count: number) => void): (error: unknown) => void {
  let count = 0
  let saidAt = -Infinity
  return (error) => {
    count += 1
    const now = performance.now()
    if (now - saidAt < pauseMs) return
    saidAt = now
    say(error, count)
    count = 0
  }
}
