// Troubles between a fleet and its server: bad messages, intruders, lost connections, wrong clocks.
import { topicOf } from '@voltkeep/contract/topics/index'
import { VirtualDevice } from '../device.ts'
import { alarmKinds, alarmValueOf, eventOf } from '../firmware.ts'
import { texts } from '../texts.ts'
import { introduceAll } from './calm.ts'
import { identityOf, pause, pickOnline, repeat, type Scenario, type Stage } from './stage.ts'

const minuteMs = 60_000

/** Sends a message that the server must refuse, wrong in one of several ways. */
export function sendMalformed(stage: Stage): void {
  const device = pickOnline(stage)
  if (!device) return
  const { random } = stage
  const head = { id: device.newId(), time: device.now() }
  const alarm = topicOf(device.code, 'up', 'alarm')
  const wrongs: (() => unknown)[] = [
    () => device.publishRaw(alarm, '{"id":"1","time":'),
    () => device.publishRaw(alarm, JSON.stringify({ ...head, code: '01110001' })),
    () => device.publishRaw(alarm, JSON.stringify({ ...head, code: '01110001', value: -1 })),
    () =>
      device.publishRaw(alarm, JSON.stringify({ ...head, time: '2026-01-01', code: '01110001', value: 1 })),
    () => device.publishRaw(topicOf(device.code, 'up', 'version'), JSON.stringify({ ...head, versions: [] })),
    () => device.publishRaw(topicOf(device.code, 'up', 'weather'), JSON.stringify({ ...head, sky: 'blue' })),
    () => device.publishRaw(alarm, Buffer.from([0xff, 0xfe, 0x00, 0x80])),
  ]
  random.pick(wrongs)()
}

/** Reports on the topic of another device. */
export function sendForeign(stage: Stage): void {
  const device = pickOnline(stage)
  const other = stage.random.pick(stage.fleet.devices)
  if (!device || other === device) return
  const payload = { id: device.newId(), time: device.now(), code: '01110002', value: 1 }
  device.publishRaw(topicOf(other.code, 'up', 'alarm'), JSON.stringify(payload))
}

/** Sends the same message two or three times, like a device that has missed a PUBACK. */
export async function sendDuplicates(stage: Stage): Promise<void> {
  const device = pickOnline(stage)
  if (!device) return
  const id = device.newId()
  const body = eventOf(identityOf(stage, device).classify, stage.random)
  const at = device.now()
  for (let times = stage.random.between(2, 3); times > 0; times -= 1) {
    await Promise.race([device.report('event', body, { id, at }), pause(5_000, stage.signal)])
  }
}

/** Goes offline for `darkMs`, then reports `hours` of history at once. */
export async function goDarkAndCatchUp(stage: Stage, hours: number, darkMs: number): Promise<void> {
  const device = pickOnline(stage)
  if (!device) return
  const { random, signal } = stage
  device.cutPower()
  await pause(darkMs, signal)
  const { classify } = identityOf(stage, device)
  let at = device.now() - hours * 60 * minuteMs
  while (at < device.now() - minuteMs) {
    const kind = random.pick(alarmKinds[classify])
    if (!device.alarms.has(kind.code)) {
      void device.report('alarm', { code: kind.code, value: alarmValueOf(kind, random) }, { at })
      const endsAt = Math.min(at + random.gap(kind.meanMinutes * minuteMs), device.now())
      void device.report('alarm', { code: kind.code, value: 0 }, { at: endsAt })
      at = endsAt
    }
    void device.report('event', eventOf(classify, random), { at })
    at += random.gap(30 * minuteMs)
  }
  device.start()
}

/** Tries to connect with a wrong secret, or with a code that is not registered. */
export async function intrude(stage: Stage): Promise<void> {
  const { fleet, random, broker, signal } = stage
  const isUnknown = random.chance(0.5)
  // Never a device that is online: a second connection with its code would end the first.
  const offline = fleet.devices.filter((device) => !device.isOnline)
  const code =
    isUnknown || offline.length === 0 ? `X${random.between(100_000, 999_999)}` : random.pick(offline).code
  await new Promise<void>((resolve) => {
    const intruder = new VirtualDevice(
      { code, secret: `wrong-${random.between(1, 1e9)}` },
      {
        broker,
        random,
        onOnline: resolveAfterLeaving,
        onAttemptFailed: resolveAfterLeaving,
      },
    )
    function resolveAfterLeaving() {
      signal.removeEventListener('abort', resolveAfterLeaving)
      intruder.cutPower()
      resolve()
    }
    signal.addEventListener('abort', resolveAfterLeaving)
    intruder.start()
  })
}

/** Devices come and go: with DISCONNECT, without it, or with a connection that breaks for a moment. */
export function keepComingAndGoing(
  stage: Stage,
  { meanMs, mostAway }: { meanMs: number; mostAway: number },
): Promise<void> {
  const { fleet, random } = stage
  return repeat(stage, meanMs, () => {
    const away = fleet.devices.filter((device) => !device.isOnline)
    if (away.length > mostAway || (away.length > 0 && random.chance(0.5))) {
      random.pick(away).start()
      return
    }
    const device = pickOnline(stage)
    if (!device) return
    if (random.chance(0.4)) device.cutLine()
    else if (random.chance(0.5)) device.cutPower()
    else void device.stop()
  })
}

const withFleet =
  (play: Scenario): Scenario =>
  async (stage) => {
    introduceAll(stage)
    await stage.fleet.start(stage.fleet.devices, stage.signal)
    await play(stage)
  }

/** Single devices lose their connection all the time, and half of the fleet every 30 seconds. */
export const disconnects = withFleet(async (stage) => {
  const { fleet, signal, say } = stage
  const oneByOne = keepComingAndGoing(stage, { meanMs: 500, mostAway: fleet.devices.length / 5 })
  const atOnce = repeat(stage, 30_000, () => {
    const half = fleet.devices.filter((_, index) => index % 2 === 0)
    say(texts.linesCut(half.length))
    for (const device of half) device.cutLine()
  })
  await Promise.all([oneByOne, atOnce, pause(1, signal)])
})

export const duplicates = withFleet((stage) => repeat(stage, 500, () => sendDuplicates(stage)))

export const late = withFleet((stage) =>
  repeat(stage, 3_000, () => goDarkAndCatchUp(stage, stage.random.between(1, 24), 2_000)),
)

export const malformed = withFleet((stage) =>
  repeat(stage, 500, () => (stage.random.chance(0.8) ? sendMalformed(stage) : sendForeign(stage))),
)

/** Clocks are wrong by up to ten minutes in either direction, one in ten by up to three days. */
export const skew: Scenario = async (stage) => {
  for (const device of stage.fleet.devices) {
    const most = stage.random.chance(0.1) ? 3 * 24 * 60 * minuteMs : 10 * minuteMs
    device.clockOffsetMs = stage.random.between(-most, most)
  }
  introduceAll(stage)
  await stage.fleet.start(stage.fleet.devices, stage.signal)
  await repeat(stage, 1_000, () => {
    const device = pickOnline(stage)
    if (!device) return
    const kind = stage.random.pick(alarmKinds[identityOf(stage, device).classify])
    if (device.alarms.has(kind.code)) void device.recover(kind.code)
    else void device.raise(kind.code, alarmValueOf(kind, stage.random))
  })
}

export const intruders: Scenario = (stage) => repeat(stage, 1_000, () => intrude(stage))
