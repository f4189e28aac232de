import type { VirtualDevice } from '../device.ts'
import { type AlarmKind, alarmKinds, alarmValueOf, eventOf, introduce, statusOf } from '../firmware.ts'
import { identityOf, pause, pickOnline, repeat, type Scenario, type Stage } from './stage.ts'

/** An alarm that is active at present, and when it ends. */
interface Trouble {
  device: VirtualDevice
  kind: AlarmKind
  endsAt: number
}

/** Between these many alarms are active at once, whatever the size of the fleet. */
const activeBounds = [14, 24] as const
const leastPerLevel = 2
/** The device's minutes pass as these many milliseconds: a demonstration does not last a day. */
const minuteMs = 1_000

/** Alarms that rise and recover: all four levels at any time, a new one every few seconds. */
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

  // What an earlier run left open is over: a device that has forgotten says how things stand.
  await settle(fleet.devices, stage)
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
    // It grows worse, or better, without being over.
    if (random.chance(0.25) && troubles.length > 0) {
      const { device, kind } = random.pick(troubles)
      const value = alarmValueOf(kind, random)
      if (device.isOnline && device.alarms.get(kind.code) !== value) void device.raise(kind.code, value)
    }
  })
}

/** Reports zero for everything that is not wrong: after a restart a device does not know what it last said. */
export async function settle(devices: readonly VirtualDevice[], stage: Stage): Promise<void> {
  for (const device of devices) {
    const kinds = alarmKinds[identityOf(stage, device).classify]
    for (const { code } of kinds) if (!device.alarms.has(code)) void device.recover(code)
  }
}

/** A swap here, a charge there. */
export function keepEvents(stage: Stage): Promise<void> {
  return repeat(stage, 2_500, () => {
    const device = pickOnline(stage)
    if (device) void device.report('event', eventOf(identityOf(stage, device).classify, stage.random))
  })
}

/** Every device in turn, each every five minutes or so. */
export function keepStatus(stage: Stage): Promise<void> {
  return repeat(stage, Math.max(5, 300_000 / stage.fleet.devices.length), () => {
    const device = pickOnline(stage)
    if (device) void device.report('status', statusOf(identityOf(stage, device).classify, stage.random))
  })
}

/** Everybody tells what he is made of, once. */
export function introduceAll(stage: Stage): void {
  const random = stage.random.fork('introduction')
  for (const device of stage.fleet.devices) introduce(device, identityOf(stage, device), random)
}

/** An ordinary day: everyone online, alarms that rise and recover, events, status. */
export const calm: Scenario = async (stage) => {
  introduceAll(stage)
  await stage.fleet.start(stage.fleet.devices, stage.signal)
  await Promise.all([keepAlarms(stage), keepEvents(stage), keepStatus(stage)])
}
