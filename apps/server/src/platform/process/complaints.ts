const pauseMs = 5_000

/**
 * Logs an error that may occur a thousand times a second, once for each device or connection: at once, and then at most
 * every five seconds with the count since.
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
