/**
 * What the clocks on the wall of a zone show, for what people plan by them. A wall time is its milliseconds as if it were
 * UTC, so that it can be counted with; the process's own zone has clock.ts.
 */

const dayMs = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** What the clock of a zone shows at a moment, to the second. */
export function wallOf(at: Date | number, timeZone: string): number {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(timeZone, format)
  }
  const of = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes) => of.get(name) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

/** How far a zone's clocks are ahead of UTC at a moment, in ms. */
const offsetAt = (timeZone: string, ms: number): number =>
  wallOf(ms, timeZone) - Math.floor(ms / 1_000) * 1_000

/**
 * The moment at which the clocks of a zone show this time. Where they show it twice, the first; where they leave it out,
 * as much later as they are put on: 02:30 of the night without it is 03:30.
 */
export function momentAt(timeZone: string, wall: number): number {
  const [before, after] = [offsetAt(timeZone, wall - dayMs), offsetAt(timeZone, wall + dayMs)]
  const first = wall - before
  if (before === after || offsetAt(timeZone, first) === before) return first
  const second = wall - after
  return offsetAt(timeZone, second) === after ? second : first
}

/** `YYYY-MM-DD HH:mm:ss` as a wall time. */
export const wallMs = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`)

/** `YYYY-MM-DD HH:mm:ss` of a wall time. */
export const wallText = (wall: number): string => new Date(wall).toISOString().slice(0, 19).replace('T', ' ')

/** Whether Intl knows a zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
