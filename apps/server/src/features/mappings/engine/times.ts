// Times as makers write them.
import { Fault } from './fault.ts'

const unreadable = (value: unknown) => new Fault(`时间“${String(value).slice(0, 40)}”无法识别`)

/** Minutes ahead of UTC. */
export function zoneMinutes(zone: string): number {
  if (zone === 'Z') return 0
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

const isoPattern = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/

/** ms since 1970 of a text like `2026-01-02T03:04:05+08:00`; the zone is for one that names none. */
export function isoTime(text: string, zone: number): number | Fault {
  const found = isoPattern.exec(text)
  if (!found) return unreadable(text)
  const [, year, month, day, hour, minute, second = '0', fraction = '', named] = found
  const ahead =
    named === undefined
      ? zone
      : zoneMinutes(named.length === 5 ? `${named.slice(0, 3)}:${named.slice(3)}` : named)
  return moment(
    [year, month, day, hour, minute, second].map(Number) as Parts,
    Number(fraction.slice(0, 3).padEnd(3, '0')),
    ahead,
    text,
  )
}

type Parts = [year: number, month: number, day: number, hour: number, minute: number, second: number]

function moment([year, month, day, hour, minute, second]: Parts, ms: number, zone: number, text: string) {
  const at = Date.UTC(year, month - 1, day, hour, minute, second, ms)
  const isReal =
    month >= 1 && month <= 12 && new Date(at).getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  return isReal ? at - zone * 60_000 : unreadable(text)
}

const tokens = ['yyyy', 'yy', 'MM', 'dd', 'HH', 'mm', 'ss', 'SSS'] as const
type Token = (typeof tokens)[number]

/** How a maker writes a time: yyyyMMddHHmmss and everything else as it stands. Throws where a day could not be told. */
export function compileFormat(format: string): (text: string, zone: number) => number | Fault {
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
