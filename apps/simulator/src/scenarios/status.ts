// What devices measure, told at intervals; and the riders who swap batteries at the cabinets.
import type { VirtualDevice } from '../device.ts'
import { statusOf } from '../firmware.ts'
import { identityOf, pause, pickOnline, repeat, type Stage } from './stage.ts'

const tickMs = 100
/** How often a rider comes to a cabinet, at the usual pace. */
const swapMs = 240_000
/** A larger fleet swaps no more often than this in all: its reports are not what is simulated. */
const leastGapMs = 100
/** How long a door is open. */
const doorMs = [1_200, 4_000] as const

/** Reports the status of a device as it is now. */
export function reportStatus(stage: Stage, device: VirtualDevice): void {
  void device.report('status', statusOf(device, identityOf(stage, device), stage.random))
}

/** Status of every device each `statusSeconds`, spread evenly over them; none where it is 0. */
export async function keepStatus(stage: Stage): Promise<void> {
  const { fleet, rate, signal, statusSeconds } = stage
  if (statusSeconds === 0) return
  const perTick = (fleet.devices.length * tickMs * rate) / (statusSeconds * 1_000)
  let owed = 0
  let turn = 0
  while (!signal.aborted) {
    owed = Math.min(owed + perTick, fleet.devices.length)
    for (; owed >= 1; owed -= 1) {
      const device = fleet.devices[turn++ % fleet.devices.length]
      if (device?.isOnline) reportStatus(stage, device)
    }
    await pause(tickMs, signal)
  }
}

/** Riders come to the cabinets and swap their batteries. */
export async function keepSwaps(stage: Stage): Promise<void> {
  const { devices } = stage.fleet
  if (stage.statusSeconds === 0 || !devices.some(({ cabinet }) => cabinet)) return
  const underWay = new Set<VirtualDevice>()
  // The device is any of the fleet: a rider may meet one that is no cabinet.
  await repeat(stage, Math.max(leastGapMs * stage.rate, swapMs / devices.length), () => {
    const device = pickOnline(stage)
    if (!device?.cabinet || underWay.has(device)) return
    underWay.add(device)
    void swap(stage, device).finally(() => underWay.delete(device))
  })
}

/**
 * One swap: the door of an empty compartment opens, a ridden-down battery is put in, and a full one is taken out of
 * another. Everything that is seen of it is reported when it happens.
 */
export async function swap(stage: Stage, device: VirtualDevice): Promise<void> {
  const { random, signal, batteries, rate } = stage
  const { cabinet } = device
  const found = cabinet?.swapAt(device.now())
  if (!cabinet || !found) {
    if (cabinet && random.chance(0.2)) event(device, '03110004', random.between(1, 5), true)
    return
  }
  const { into, from } = found
  const open = async (no: number) => {
    cabinet.openDoor(no)
    event(device, '03110005', no)
    reportStatus(stage, device)
    await pause(random.between(...doorMs) / rate, signal)
  }
  event(device, '03110002', from)
  await open(into)
  const returned = batteries.bringBack()
  cabinet.put(into, returned, device.now())
  cabinet.closeDoor(into)
  event(device, '03110007', into)
  event(device, '03110006', into)
  event(device, '03210001', Math.round(returned.soc))
  await open(from)
  const taken = cabinet.take(from, device.now())
  if (taken) batteries.take(taken)
  cabinet.closeDoor(from)
  event(device, '03110008', from)
  event(device, '03110006', from)
  event(device, '03110003', from)
  reportStatus(stage, device)
}

function event(device: VirtualDevice, code: string, value: number, isFault = false): void {
  void device.report('event', { code, value, isFault })
}
