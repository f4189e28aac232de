// Troubles that lists fold: an alarm that comes again and again, and alarms that have one cause.
import type { VirtualDevice } from '../device.ts'
import { identityOf, pause, pickOnline, type Stage } from './stage.ts'

/** Of the service doors of a cabinet, its connection to the grid, and its link to the compartments. */
const door = '01110008'
const together = ['01110005', '01110001']

/** A cabinet that is online and has none of these alarms. */
function pickCabinet(stage: Stage, codes: readonly string[]): VirtualDevice | undefined {
  for (let tries = 0; tries < 50; tries += 1) {
    const device = pickOnline(stage)
    if (
      device &&
      identityOf(stage, device).classify === 'EC' &&
      codes.every((code) => !device.alarms.has(code))
    )
      return device
  }
  return undefined
}

/** A door that does not close well: its alarm comes `times` times within a minute, and stands at the end for a while. */
export async function rattle(stage: Stage, times: number, standsMs: number): Promise<void> {
  const { rate, signal } = stage
  const device = pickCabinet(stage, [door])
  if (!device) return
  const pauseMs = 25_000 / rate / times
  for (let time = 1; time <= times && !signal.aborted; time += 1) {
    void device.raise(door, 1)
    await pause(pauseMs, signal)
    if (time === times) await pause(standsMs / rate, signal)
    void device.recover(door)
    await pause(pauseMs, signal)
  }
}

/** A cabinet without mains: it says what is wrong and is lost. */
export async function blackOut(stage: Stage, lastsMs: number): Promise<void> {
  const { rate, signal } = stage
  const device = pickCabinet(stage, together)
  if (!device) return
  await Promise.all(together.map((code) => Promise.race([device.raise(code, 1), pause(5_000, signal)])))
  device.cutPower()
  await pause(lastsMs / rate, signal)
  device.start()
  for (const code of together) void device.recover(code)
}
