/**
 * How a window repeats, in the part of RRULE (RFC 5545) that is taken: `FREQ` DAILY, WEEKLY or MONTHLY, `INTERVAL`, of weeks
 * `BYDAY`, of months `BYMONTHDAY`, and `UNTIL` as a day. Days are days of the window's own zone.
 */
export interface Repeat {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY'
  interval: number
  /** 0 is Monday; of weeks, and empty where the first day says it. */
  weekdays: readonly number[]
  /** Of months, and empty where the first day says it. A month without the day is left out. */
  monthDays: readonly number[]
  /** The last day on which it may begin, as days since 1970. */
  untilDay: number | null
}

export const weekdayCodes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const

const numbersIn = (text: string, min: number, max: number): number[] | null => {
  const numbers = text.split(',').map((part) => (/^\d{1,2}$/.test(part) ? Number(part) : Number.NaN))
  return numbers.every((number) => number >= min && number <= max) ? numbers : null
}

/** Null where the text is no rule of this kind. */
export function parseRepeat(text: string): Repeat | null {
  const repeat: { -readonly [Key in keyof Repeat]: Repeat[Key] } = {
    freq: 'DAILY',
    interval: 1,
    weekdays: [],
    monthDays: [],
    untilDay: null,
  }
  const seen = new Set<string>()
  for (const part of text.split(';')) {
    const [name = '', value = ''] = part.split('=')
    if (seen.has(name) || part.split('=').length !== 2) return null
    seen.add(name)
    if (name === 'FREQ' && (value === 'DAILY' || value === 'WEEKLY' || value === 'MONTHLY'))
      repeat.freq = value
    else if (name === 'INTERVAL') {
      const [interval] = numbersIn(value, 1, 99) ?? []
      if (interval === undefined || value.includes(',')) return null
      repeat.interval = interval
    } else if (name === 'BYDAY') {
      const days = value.split(',').map((day) => weekdayCodes.indexOf(day as (typeof weekdayCodes)[number]))
      if (days.includes(-1)) return null
      repeat.weekdays = days
    } else if (name === 'BYMONTHDAY') {
      const days = numbersIn(value, 1, 31)
      if (!days) return null
      repeat.monthDays = days
    } else if (name === 'UNTIL') {
      const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(value) ?? []
      const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
      if (!day || at.getUTCDate() !== Number(day) || at.getUTCMonth() !== Number(month) - 1) return null
      repeat.untilDay = at.getTime() / 86_400_000
    } else return null
  }
  const isOfItsKind =
    (repeat.weekdays.length === 0 || repeat.freq === 'WEEKLY') &&
    (repeat.monthDays.length === 0 || repeat.freq === 'MONTHLY')
  return seen.has('FREQ') && isOfItsKind ? repeat : null
}
