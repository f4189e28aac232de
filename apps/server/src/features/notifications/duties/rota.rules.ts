/**
 * Who is on duty when. Turns of a fixed length follow each other by the clock on the wall of a zone, so that a change of
 * the clocks moves no handover. Pure: no clock, no database. A wall time is as zone-clock.ts has it.
 */
import { wallText as secondText, wallMs, wallOf } from '../../../platform/process/clocks/zone-clock.ts'

export interface Rota {
  timeZone: string
  /** `YYYY-MM-DD` and `HH:mm` of the first handover. */
  startsOn: string
  handoverAt: string
  lengthHours: number
  /** In the order of their turns; null: the account is gone. */
  members: readonly (number | null)[]
  /** Days of which somebody else has all turns, from the first day's handover to the one after the last day. */
  exceptions: readonly { fromDay: string; toDay: string; userId: number | null }[]
}

export interface Turn {
  fromWall: number
  toWall: number
  userId: number | null
  isException: boolean
}

const hourMs = 3_600_000
const dayMs = 86_400_000

/** The wall time of a `YYYY-MM-DD` and `HH:mm`. */
export const wallAt = (day: string, clock: string): number => wallMs(`${day} ${clock}:00`)

/** `YYYY-MM-DD HH:mm` of a wall time. */
export const wallText = (wall: number): string => secondText(wall).slice(0, 16)

/** The turns that touch the stretch of wall time, cut where an exception begins or ends; before the start there is none. */
export function turnsBetween(rota: Rota, fromWall: number, toWall: number): Turn[] {
  const { handoverAt, members, exceptions } = rota
  const start = wallAt(rota.startsOn, handoverAt)
  const lengthMs = rota.lengthHours * hourMs
  const edges = exceptions.map(({ fromDay, toDay, userId }) => ({
    from: wallAt(fromDay, handoverAt),
    to: wallAt(toDay, handoverAt) + dayMs,
    userId,
  }))
  const turns: Turn[] = []
  let at = start + Math.max(0, Math.floor((fromWall - start) / lengthMs)) * lengthMs
  while (at < toWall) {
    const regular = members.length === 0 ? null : members[((at - start) / lengthMs) % members.length]
    const end = at + lengthMs
    let cursor = at
    while (cursor < end) {
      const exception = edges.find(({ from, to }) => from <= cursor && cursor < to)
      const next = Math.min(
        end,
        ...edges.flatMap(({ from, to }) => [from, to]).filter((edge) => edge > cursor),
      )
      turns.push({
        fromWall: cursor,
        toWall: next,
        userId: exception ? exception.userId : (regular ?? null),
        isException: exception !== undefined,
      })
      cursor = next
    }
    at = end
  }
  return turns.filter((turn) => turn.toWall > fromWall && turn.fromWall < toWall)
}

/** Who is on duty at the moment; null: nobody. */
export function onDuty(rota: Rota, at: Date): number | null {
  const wall = wallOf(at, rota.timeZone)
  return turnsBetween(rota, wall, wall + 1)[0]?.userId ?? null
}
