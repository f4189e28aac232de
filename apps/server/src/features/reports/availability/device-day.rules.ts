// One device's day, divided into up, down, planned and unknown: pure, in whole seconds since 1970.

/** `to` does not belong to it. */
export interface Span {
  from: number
  to: number
}

/** What may overlap a day, with its whole extent. Spans may overlap each other, too. */
export interface DaySpans {
  down: readonly Span[]
  planned: readonly Span[]
  /** While the server was off. */
  unknown: readonly Span[]
}

export interface DeviceDay {
  down: number
  planned: number
  unknown: number
  /** How often it went down on this day. */
  failures: number
  /** How long those failures lasted that ended on this day. */
  recovered: number[]
  /** Since when it is down as the day ends; null: it is not. */
  downSince: number | null
}

/** The spans without overlaps, in order. Those that only touch stay apart: one trouble ended, another one began. */
export function unite(spans: readonly Span[]): Span[] {
  const united: Span[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    if (to <= from) continue
    const last = united.at(-1)
    if (last && from < last.to) last.to = Math.max(last.to, to)
    else united.push({ from, to })
  }
  return united
}

/** What of the spans lies in none of the others. Both are united. */
export function without(spans: readonly Span[], others: readonly Span[]): Span[] {
  const left: Span[] = []
  for (const span of spans) {
    let { from } = span
    for (const other of others) {
      if (other.to <= from) continue
      if (other.from >= span.to) break
      if (other.from > from) left.push({ from, to: other.from })
      from = other.to
    }
    if (from < span.to) left.push({ from, to: span.to })
  }
  return left
}

const clipped = (spans: readonly Span[], { from, to }: Span): Span[] =>
  spans.flatMap((span) => {
    const part = { from: Math.max(span.from, from), to: Math.min(span.to, to) }
    return part.from < part.to ? [part] : []
  })

const lengthOf = (spans: readonly Span[]) => spans.reduce((sum, { from, to }) => sum + to - from, 0)

/**
 * Planned goes before unknown, unknown before down, down before up. What is planned ends a failure, and what lasts
 * beyond it is a new one; while the server is off a failure goes on. `carried` is the `downSince` of the day before;
 * undefined where that day is not known: what was there before is no failure of this day then.
 */
export function divideDay(
  day: Span,
  { down, planned, unknown }: DaySpans,
  carried: number | null | undefined,
): DeviceDay {
  const plans = unite(planned)
  const gaps = without(unite(unknown), plans)
  const failures = without(unite(down), plans)
  const result: DeviceDay = {
    down: lengthOf(without(clipped(failures, day), gaps)),
    planned: lengthOf(clipped(plans, day)),
    unknown: lengthOf(clipped(gaps, day)),
    failures: 0,
    recovered: [],
    downSince: null,
  }
  for (const failure of failures) {
    if (failure.to <= day.from || failure.from >= day.to) continue
    const isOlder =
      failure.from <= day.from && (carried === undefined ? failure.from < day.from : carried !== null)
    if (!isOlder) result.failures += 1
    const since = isOlder ? (carried ?? failure.from) : Math.max(failure.from, day.from)
    if (failure.to > day.to) result.downSince = since
    else result.recovered.push(failure.to - since)
  }
  return result
}

/** Whether there is anything to keep of it: a day that was all up is not kept. */
export const isNotAllUp = ({ down, planned, unknown, failures, recovered, downSince }: DeviceDay) =>
  down + planned + unknown + failures + recovered.length > 0 || downSince !== null
