import { exchangePart } from '../firmware.ts'
import { introduceAll, keepAlarms, keepEvents } from './calm.ts'
import { blackOut, rattle } from './folding.ts'
import { pickOnline, repeat, type Scenario } from './stage.ts'
import { keepStatus, keepSwaps } from './status.ts'
import {
  goDarkAndCatchUp,
  intrude,
  keepComingAndGoing,
  sendDuplicates,
  sendForeign,
  sendMalformed,
} from './trouble.ts'

/** The share of devices that are offline at any time. */
const shareAway = 0.06

/** The scenario of the demonstration: a realistic fleet, with a little of every trouble. */
export const live: Scenario = async (stage) => {
  const { fleet, random, signal } = stage
  introduceAll(stage)
  const absent = fleet.devices.filter(() => random.chance(shareAway))
  // They are online if the history was reported first.
  await Promise.all(absent.map((device) => device.stop()))
  await fleet.start(
    fleet.devices.filter((device) => !absent.includes(device)),
    signal,
  )
  // One of each at the beginning, so that the page of refusals is not empty.
  sendMalformed(stage)
  sendForeign(stage)
  void intrude(stage)
  // And of what lists fold.
  void rattle(stage, 12, 240_000)
  void blackOut(stage, 180_000)
  await Promise.all([
    keepAlarms(stage),
    keepEvents(stage),
    keepStatus(stage),
    keepSwaps(stage),
    keepComingAndGoing(stage, {
      meanMs: 20_000,
      mostAway: Math.ceil(fleet.devices.length * shareAway * 1.5),
    }),
    repeat(stage, 45_000, () => sendMalformed(stage)),
    repeat(stage, 120_000, () => sendForeign(stage)),
    repeat(stage, 90_000, () => intrude(stage)),
    repeat(stage, 60_000, () => sendDuplicates(stage)),
    repeat(stage, 120_000, () => rattle(stage, 12, 240_000)),
    repeat(stage, 120_000, () => blackOut(stage, 180_000)),
    repeat(stage, 120_000, () => goDarkAndCatchUp(stage, random.between(1, 6), 20_000)),
    // A part has been exchanged.
    repeat(stage, 180_000, () => {
      const device = pickOnline(stage)
      if (device) exchangePart(device, random)
    }),
  ])
}
