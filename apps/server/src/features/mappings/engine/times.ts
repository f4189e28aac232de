// Times as makers write them.
import { isTimeZone, momentAt } from '../../../platform/process/clocks/zone-clock.ts'
import { Fault } from './fault.ts'

const unreadable = (value: unknown) => new Fault(`时间“${String(value).slice(0, 40)}”无法识别`)

/** From what a clock on the wall shows, as if it were UTC, to ms since 1970. */
export type Zone = (wallMs: number) => number

/** `Z`, `+08:00` or `Asia/Shanghai`. Throws where there is no such zone. */
export function compileZone(zone: string): Zone {
  if (zone === 'Z') return (wallMs) => wallMs
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  if (sign !== undefined) {
    const aheadMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
    return (wallMs) => wallMs - aheadMs
  }
  if (!isTimeZone(zone)) throw new Error(`没有时区 ${zone}`)
  return (wallMs) => momentAt(zone, wallMs)
}

const isoPattern = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/

/** ms since 1970 of a text like `2026-01-02T03:04:05+08:00`; the zone is for one that names none. */
export function isoTime(text: string, zone: Zone): number | Fault {
  const found = isoPattern.exec(text)
  if (!found) return unreadable(text)
  const [, year, month, day, hour, minute, second = '0', fraction = '', named] = found
  return moment(
    [year, month, day, hour, minute, second].map(Number) as Parts,
    Number(fraction.slice(0, 3).padEnd(3, '0')),
    named === undefined ? zone : compileZone(named),
    text,
  )
}

type Parts = [year: number, month: number, day: number, hour: number, minute: number, second: number]

function moment([year, month, day, hour, minute, second]: Parts, ms: number, zone: Zone, text: string) {
  const at = Date.UTC(year, month - 1, day, hour, minute, second, ms)
  const isReal =
    month >= 1 && month <= 12 && new Date(at).getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  return isReal ? zone(at) : unreadable(text)
}

const tokens = ['yyyy', 'yy', 'MM', 'dd', 'HH', 'mm', 'ss', 'SSS'] as const
type Token = (typeof tokens)[number]

/** How a maker writes a time: yyyyMMddHHmmss and everything else as it stands. Throws where a day could not be told. */
export function compileFormat(format: string): (text: string, zone: Zone) => number | Fault {
  const places = new Map<Token, number>()
  const literals: [at: number, sign: string][] = []
  for (let at = 0; at < format.length; ) {
    const token = tokens.find((one) => format.startsWith(one, at))
    if (token === undefined) {
      literals.push([at, format[at] as string])
      at += 1
      continue
    }
    if (places.has(token)) throw new Error(`format 中 ${token} 出现了两次`)
    places.set(token, at)
    at += token.length
  }
  for (const wanted of ['MM', 'dd', 'HH', 'mm'] as const)
    if (!places.has(wanted)) throw new Error(`format 中缺少 ${wanted}`)
  if (places.has('yyyy') === places.has('yy')) throw new Error('format 中应有 yyyy 或 yy')
  const read = (text: string, token: Token): number => {
    const at = places.get(token)
    if (at === undefined) return 0
    let value = 0
    for (let place = at; place < at + token.length; place += 1) {
      const digit = text.charCodeAt(place) - 48
      if (digit < 0 || digit > 9) return Number.NaN
      value = value * 10 + digit
    }
    return value
  }
  return (text, zone) => {
    if (text.length !== format.length || literals.some(([at, sign]) => text[at] !== sign))
      return unreadable(text)
    const year = places.has('yyyy') ? read(text, 'yyyy') : 2000 + read(text, 'yy')
    const parts: Parts = [
      year,
      read(text, 'MM'),
      read(text, 'dd'),
      read(text, 'HH'),
      read(text, 'mm'),
      read(text, 'ss'),
    ]
    const ms = read(text, 'SSS')
    return parts.some(Number.isNaN) || Number.isNaN(ms) ? unreadable(text) : moment(parts, ms, zone, text)
  }
}
