/**
 * What goes to devices between their coming back and the moment when their unanswered commands have gone again. It goes
 * over the new connection already: with the others it would go a second time, to a device that never went away.
 */
export interface Returns {
  /** The device is back over a new connection: what went to it before may be lost. Null: any device may be. */
  began(deviceId: number | null): void
  /** A command goes to the device now. */
  sent(deviceId: number, id: string): void
  /** Whether the command has gone to the device since it came back. */
  hasGone(deviceId: number, id: string): boolean
  /** The returns that have begun so far, of these devices or of all; the function ends them, and none that began later. */
  taken(deviceIds: readonly number[], ofAll: boolean): () => void
}

export function createReturns(): Returns {
  const byDevice = new Map<number, string[]>()
  let ofAny: Set<string> | null = null

  return {
    began(deviceId) {
      if (deviceId !== null) {
        byDevice.set(deviceId, [])
        return
      }
      ofAny = new Set()
      for (const known of byDevice.keys()) byDevice.set(known, [])
    },
    sent(deviceId, id) {
      byDevice.get(deviceId)?.push(id)
      ofAny?.add(id)
    },
    // A return of the device alone is the later one: one of all devices begins these anew.
    hasGone: (deviceId, id) => byDevice.get(deviceId)?.includes(id) ?? ofAny?.has(id) ?? false,
    taken(deviceIds, ofAll) {
      const begun = deviceIds.map((deviceId) => byDevice.get(deviceId))
      const begunOfAny = ofAll ? ofAny : null
      return () => {
        for (const [place, deviceId] of deviceIds.entries())
          if (byDevice.get(deviceId) === begun[place]) byDevice.delete(deviceId)
        if (begunOfAny && ofAny === begunOfAny) ofAny = null
      }
    },
  }
}
