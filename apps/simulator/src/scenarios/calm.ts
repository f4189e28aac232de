// An ordinary day of a fleet: alarms that open and recover, events, status.
import type { VirtualDevice } from '../device.ts'
import { type AlarmKind, alarmKinds, alarmValueOf, eventOf } from '../firmware.ts'
import { identityOf, pause, pickOnline, repeat, type Scenario, type Stage } from './stage.ts'
import { keepStatus, keepSwaps, reportStatus } from './status.ts'

/** An open alarm, and when it ends. */
interface Trouble {
  device: VirtualDevice
  kind: AlarmKind
  endsAt: number
}

/** The least and the most alarms that are open at once, for a fleet of any size. */
const activeBounds = [14, 24] as const
const leastPerLevel = 2
/** A minute of a device lasts this many milliseconds, so that a demonstration shows a day. */
const minuteMs = 1_000

/** Opens and recovers alarms: all four levels at any time, a new alarm every few seconds. */
export async function keepAlarms(stage: Stage): Promise<void> {
  const { random, fleet } = stage
  const troubles: Trouble[] = []
  const [least, most] = activeBounds

  const raise = () => {
    const wanted = ([1, 2, 3, 4] as const).find(
      (level) => troubles.filter(({ kind }) => kind.level === level).length < leastPerLevel,
    )
    for (let tries = 0; tries < 50; tries += 1) {
      const device = pickOnline(stage)
      if (!device) return
      const kind = random.pick(alarmKinds[identityOf(stage, device).classify])
      if (wanted !== undefined ? kind.level !== wanted : random.chance(0.6 / kind.level)) continue
      if (device.alarms.has(kind.code)) continue
      void device.raise(kind.code, alarmValueOf(kind, random))
      const lastsMs = Math.max(8_000, random.gap(kind.meanMinutes * minuteMs))
      troubles.push({ device, kind, endsAt: Date.now() + lastsMs })
      return
    }
  }
  const recover = (trouble: Trouble) => {
    troubles.splice(troubles.indexOf(trouble), 1)
    void trouble.device.recover(trouble.kind.code)
  }

  // Recovers what an earlier run left open: after a restart a device reports all its semaphores.
  await recoverForgotten(fleet.devices, stage)
  while (troubles.length < Math.min(least, fleet.devices.length) && !stage.signal.aborted) {
    const before = troubles.length
    raise()
    if (troubles.length === before) await pause(500, stage.signal)
  }
  await repeat(stage, 3_500, () => {
    const now = Date.now()
    for (const trouble of troubles.filter(({ endsAt }) => endsAt <= now)) {
      if (troubles.length > least) recover(trouble)
    }
    if (troubles.length >= most) recover(troubles[0] as Trouble)
    raise()
    // The value changes without a recovery.
    if (random.chance(0.25) && troubles.length > 0) {
      const { device, kind } = random.pick(troubles)
      const value = alarmValueOf(kind, random)
      if (device.isOnline && device.alarms.get(kind.code) !== value) void device.raise(kind.code, value)
    }
  })
}

/** Reports 0 for every alarm that is not open: after a restart a device does not know its last reports. */
export async function recoverForgotten(devices: readonly VirtualDevice[], stage: Stage): Promise<void> {
  for (const device of devices) {
    const kinds = alarmKinds[identityOf(stage, device).classify]
    for (const { code } of kinds) if (!device.alarms.has(code)) void device.recover(code)
  }
}

/** Events of random devices. */
export function keepEvents(stage: Stage): Promise<void> {
  return repeat(stage, 2_500, () => {
    const device = pickOnline(stage)
    if (!device) return
    const { classify } = identityOf(stage, device)
    const isSwapped = device.cabinet !== undefined
    void device.report('event', eventOf(classify, stage.random, { isSwapped }))
  })
}

/** Every device reports its status once; it reports versions and parameters by itself. */
export function introduceAll(stage: Stage): void {
  if (stage.statusSeconds === 0) return
  for (const device of stage.fleet.devices) reportStatus(stage, device)
}

export const calm: Scenario = async (stage) => {
  introduceAll(stage)
  await stage.fleet.start(stage.fleet.devices, stage.signal)
  await Promise.all([keepAlarms(stage), keepEvents(stage), keepStatus(stage), keepSwaps(stage)])
}
