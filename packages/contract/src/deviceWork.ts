import * as z from 'zod/mini'
import { one } from './endpoint.ts'
import { deviceCodes, idOut, list, saidOut, seededOut, text, timeOut } from './fields.ts'

// What the calls of work on many devices share: upgrades, batches, advertisements, extractions of logs.

type States = readonly [string, ...string[]]

/** The devices of a work by state, and all of them; only those that the caller may see. */
/*@__NO_SIDE_EFFECTS__*/
export function countsBy<const S extends States>(states: S) {
  const ofStates = Object.fromEntries(states.map((state) => [state, z.number()]))
  return z.object({ total: z.number(), ...(ofStates as Record<S[number], z.ZodMiniNumber>) })
}

/** The filter by some of the states. */
/*@__NO_SIDE_EFFECTS__*/
export function statesIn<const S extends States>(states: S, label: string) {
  return z.optional(list(z.enum(states, { error: `${label}无效` }), label, states.length))
}

/** The filters of a list of the devices of a work. */
/*@__NO_SIDE_EFFECTS__*/
export function workedDevicesIn<const S extends States>(states: S, label: string) {
  return {
    states: statesIn(states, label),
    /** An exact reason, as listed with the work. */
    reason: z.optional(text('原因', 300)),
    code: z.optional(deviceCodes),
  }
}

/** The device of a row that has a state of its own. */
export const workedDevice = {
  equipId: idOut,
  /** The device's code. */
  code: z.string(),
  operatorName: seededOut,
  regionName: seededOut,
  isOnline: z.nullable(z.literal([0, 1])),
}

/** How the attempts at the device go on. */
export const attemptsOfDevice = {
  /** Why it failed or was left out, in the device's words or ours. */
  reason: z.nullable(saidOut),
  attempts: z.number(),
  /** Time of the next attempt; null if there is no automatic one. */
  nextTime: z.nullable(timeOut),
}

/** Why devices failed or were left out, the most frequent first. */
/*@__NO_SIDE_EFFECTS__*/
export function reasonsBy<const S extends States>(states: S) {
  return z.array(z.object({ state: z.enum(states), reason: saidOut, count: z.number() }))
}

/** How many devices a write reached. */
export const countReply = one(z.object({ count: z.number() }))

/** What a preview says first of the effect that a work would have now. */
export const previewedDevices = {
  /** The number of devices in the choice that the work is possible for at all. */
  chosen: z.number(),
  /** The number of devices that it would reach. */
  devices: z.number(),
  /** Of these, the number that is offline now. */
  offline: z.number(),
}

/** Chosen devices that a preview leaves out, and why. */
/*@__NO_SIDE_EFFECTS__*/
export function leftOutBy<const S extends States>(reasons: S) {
  return { reason: z.enum(reasons), devices: z.number() }
}
