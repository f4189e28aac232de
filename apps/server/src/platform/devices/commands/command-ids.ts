import { randomFillSync } from 'node:crypto'
import { sharedNowMs } from '../../process/clocks/shared-clock.ts'

let lastMs = 0
let counter = 0
/** Filled for many ids at once: asked for those of one, the generator took longer than all the rest of a new command. */
const chance = Buffer.alloc(4_096)
const chanceBytes = 8
let chanceAt = chance.length
const made = Buffer.alloc(16)

/**
 * A new command id: a UUID of version 7 (RFC 9562), 48 bits of time and 62 of chance. Ids of one process ascend,
 * also within a millisecond (12 bits of counter), so that a device gets its commands in the order of their making.
 */
export function newCommandId(): string {
  const now = sharedNowMs()
  if (now > lastMs) {
    lastMs = now
    counter = 0
  } else {
    counter += 1
    if (counter > 0xfff) {
      // More than 4,096 in one millisecond, or a clock that was set back: the ids run ahead of the clock.
      lastMs += 1
      counter = 0
    }
  }
  if (chanceAt === chance.length) {
    randomFillSync(chance)
    chanceAt = 0
  }
  made.writeUIntBE(lastMs, 0, 6)
  made.writeUInt16BE(0x7000 | counter, 6)
  chance.copy(made, 8, chanceAt, chanceAt + chanceBytes)
  chanceAt += chanceBytes
  made.writeUInt8(0x80 | (made.readUInt8(8) & 0x3f), 8)
  return textOf(made)
}

/** No id that was made at the time or later, ms since 1970, is lower than this one. */
export function firstCommandIdAt(timeMs: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(timeMs, 0, 6)
  return textOf(bytes)
}

function textOf(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Whether a text that a device sent can be the id of a command at all. */
export const isCommandId = (text: string) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
