/** A registered device as the broker knows it. */
export interface Device {
  id: number
  code: string
  secretHash: Buffer
}

export interface Identities {
  /** Null where no such device is registered. */
  find(code: string): Promise<Device | null>
  /** What is known of these is stale; null means of all. */
  forget(codes: readonly string[] | null): void
}

/** A lost notice is made good by this: what a device was is believed no longer. */
export const freshForMs = 60_000
const gatherMs = 4
const askedAtOnce = 5_000

interface Question {
  resolve(device: Device | null): void
  reject(error: unknown): void
}

/**
 * Looks devices up by code, many at once: ten thousand that reconnect together are a handful of queries.
 * Codes that are not registered are never kept, so an attacker's guesses cost no memory.
 */
export function createIdentities({
  read,
  capacity = 200_000,
}: {
  read(codes: string[]): Promise<Device[]>
  capacity?: number
}): Identities {
  const known = new Map<string, { device: Device; readAtMs: number }>()
  let questions = new Map<string, Question[]>()
  let timer: NodeJS.Timeout | undefined
  /** Grows with each forgetting: an answer that was under way meanwhile may be the old one. */
  let generation = 0

  async function ask(): Promise<void> {
    timer = undefined
    const asked = questions
    questions = new Map()
    const codes = [...asked.keys()]
    for (let start = 0; start < codes.length; start += askedAtOnce) {
      const part = codes.slice(start, start + askedAtOnce)
      const askedIn = generation
      const readAtMs = Date.now()
      try {
        const devices = new Map((await read(part)).map((device) => [device.code, device]))
        for (const code of part) {
          const device = devices.get(code) ?? null
          if (device && askedIn === generation) keep(device, readAtMs)
          for (const { resolve } of asked.get(code) ?? []) resolve(device)
        }
      } catch (error) {
        for (const code of part) for (const { reject } of asked.get(code) ?? []) reject(error)
      }
    }
  }

  function keep(device: Device, readAtMs: number): void {
    known.set(device.code, { device, readAtMs })
    if (known.size <= capacity) return
    const [oldest] = known.keys()
    known.delete(oldest as string)
  }

  return {
    find(code) {
      const answer = known.get(code)
      if (answer && Date.now() - answer.readAtMs < freshForMs) return Promise.resolve(answer.device)
      return new Promise((resolve, reject) => {
        const waiting = questions.get(code)
        if (waiting) waiting.push({ resolve, reject })
        else questions.set(code, [{ resolve, reject }])
        if (!timer) timer = setTimeout(ask, gatherMs)
      })
    },
    forget(codes) {
      generation += 1
      if (codes === null) known.clear()
      else for (const code of codes) known.delete(code)
    },
  }
}
