// Registered devices by what they call themselves, many looked up in one query, and remembered for a minute.
import type { DeviceProtocol } from '@voltkeep/contract'
import type { ClientCertificate } from '../client-certificates.ts'

/** A registered device, as sign-in needs it. */
export interface Device {
  id: number
  code: string
  /** What it calls itself beside its code. */
  protocolIdentity: string | null
  modelId: number
  secretHash: Buffer
  /** That it is getting at present, and may come with already. */
  nextSecretHash?: Buffer | null
  /** It has come with that one, which is `secretHash` then. */
  hasNewSecret?: true
  protocol: DeviceProtocol
  /** What this connection has signed in with beside or in place of the secret. */
  certificate?: ClientCertificate
}

export interface Identities {
  /** By its code, or by what it calls itself. Null when no such device is registered. */
  find(code: string): Promise<Device | null>
  /** Drops these from the cache; null drops all. */
  forget(codes: readonly string[] | null): void
  /**
   * Each minute, when all is dropped since a notice may have been lost, calls back: what was decided by it is to be looked
   * at again. Returns the function that ends it.
   */
  onSweep(recheck: () => void): () => void
}

/** How long an entry of the cache is used: a notice of a change may be lost. */
export const freshForMs = 60_000
const gatherMs = 4
const askedAtOnce = 5_000

interface Lookup {
  resolve(device: Device | null): void
  reject(error: unknown): void
}

/**
 * Looks devices up by code, many in one query: ten thousand devices that reconnect together are a handful of
 * queries. Codes that are not registered are not cached, so an attacker's guesses cost no memory.
 */
export function createIdentities({
  read,
  capacity = 200_000,
}: {
  read(codes: string[]): Promise<Device[]>
  capacity?: number
}): Identities {
  const known = new Map<string, { device: Device; readAtMs: number }>()
  /** What devices were asked for by that is not their code. */
  const otherNames = new Map<string, string>()
  let lookups = new Map<string, Lookup[]>()
  let timer: NodeJS.Timeout | undefined
  /** Grows with each `forget`: an answer that was under way then may be stale, and is not cached. */
  let generation = 0
  const rechecks = new Set<() => void>()
  let sweeping: NodeJS.Timeout | undefined

  async function ask(): Promise<void> {
    timer = undefined
    const asked = lookups
    lookups = new Map()
    const codes = [...asked.keys()]
    for (let start = 0; start < codes.length; start += askedAtOnce) {
      const part = codes.slice(start, start + askedAtOnce)
      const askedIn = generation
      const readAtMs = performance.now()
      try {
        const found = await read(part)
        const devices = new Map(found.map((device) => [device.code, device]))
        const byIdentity = new Map(found.map((device) => [device.protocolIdentity, device]))
        for (const code of part) {
          const device = devices.get(code) ?? byIdentity.get(code) ?? null
          if (device && askedIn === generation) keep(code, device, readAtMs)
          for (const { resolve } of asked.get(code) ?? []) resolve(device)
        }
      } catch (error) {
        for (const code of part) for (const { reject } of asked.get(code) ?? []) reject(error)
      }
    }
  }

  function keep(name: string, device: Device, readAtMs: number): void {
    known.set(name, { device, readAtMs })
    if (name !== device.code) otherNames.set(device.code, name)
    if (known.size <= capacity) return
    const [oldest] = known.keys()
    const dropped = known.get(oldest as string)
    known.delete(oldest as string)
    if (dropped && otherNames.get(dropped.device.code) === oldest) otherNames.delete(dropped.device.code)
  }

  function forget(codes: readonly string[] | null): void {
    generation += 1
    if (codes === null) {
      known.clear()
      otherNames.clear()
      return
    }
    for (const code of codes) {
      known.delete(code)
      known.delete(otherNames.get(code) ?? '')
      otherNames.delete(code)
    }
  }

  return {
    forget,
    find(code) {
      const answer = known.get(code)
      if (answer && performance.now() - answer.readAtMs < freshForMs) return Promise.resolve(answer.device)
      return new Promise((resolve, reject) => {
        const waiting = lookups.get(code)
        if (waiting) waiting.push({ resolve, reject })
        else lookups.set(code, [{ resolve, reject }])
        if (!timer) timer = setTimeout(ask, gatherMs)
      })
    },
    onSweep(recheck) {
      rechecks.add(recheck)
      sweeping ??= setInterval(() => {
        forget(null)
        for (const again of rechecks) again()
      }, freshForMs)
      return () => {
        rechecks.delete(recheck)
        if (rechecks.size > 0) return
        clearInterval(sweeping)
        sweeping = undefined
      }
    },
  }
}
