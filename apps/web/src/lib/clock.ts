import { readWireTime } from './format.ts'

let aheadMs = 0

/**
 * Learns how far the server's clock and zone are from the browser's. Wire times carry no zone; taken
 * as the browser's own they are off by exactly as much.
 */
export function setServerTime(time: string): void {
  const at = readWireTime(time)
  if (at) aheadMs = at.getTime() - Date.now()
}

/** The present moment as the server would write it: what wire times are compared with. */
export function serverNow(): Date {
  return new Date(Date.now() + aheadMs)
}
