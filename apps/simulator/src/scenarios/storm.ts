import { alarmKinds, alarmValueOf } from '../firmware.ts'
import { texts } from '../texts.ts'
import { introduceAll, recoverForgotten } from './calm.ts'
import { identityOf, pause, type Scenario } from './stage.ts'

/** The most unacknowledged reports of a device: it waits for PUBACKs, as a real one would. */
const backlogLimit = 40

/**
 * Every device opens and recovers alarms as fast as the server acknowledges them, up to `rate` x 1,000 reports a
 * second in total: what happens when a district loses its power.
 */
export const storm: Scenario = async (stage) => {
  const { fleet, random, rate, signal, say } = stage
  introduceAll(stage)
  await fleet.start(fleet.devices, signal)
  await recoverForgotten(fleet.devices, stage)
  const tickMs = 20
  const perTick = (rate * 1_000 * tickMs) / 1_000
  let owed = 0
  let sent = 0
  let acknowledged = 0
  let saidAt = Date.now()
  let turn = 0
  while (!signal.aborted) {
    owed = Math.min(owed + perTick, perTick * 50)
    let passed = 0
    while (owed >= 1 && passed < fleet.devices.length) {
      const device = fleet.devices[turn++ % fleet.devices.length]
      if (!device?.isOnline || device.outboxSize >= backlogLimit) {
        passed += 1
        continue
      }
      passed = 0
      owed -= 1
      sent += 1
      const kind = random.pick(alarmKinds[identityOf(stage, device).classify])
      const report = device.alarms.has(kind.code)
        ? device.recover(kind.code)
        : device.raise(kind.code, alarmValueOf(kind, random))
      void report.then(() => {
        acknowledged += 1
      })
    }
    if (Date.now() - saidAt >= 5_000) {
      say(texts.storm(sent, acknowledged, fleet.onlineCount, fleet.devices.length))
      saidAt = Date.now()
    }
    await pause(tickMs, signal)
  }
}
