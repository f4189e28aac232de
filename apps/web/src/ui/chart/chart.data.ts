// What a chart draws, apart from its drawing: curves with gaps on one time axis, values at a moment, words about them.
/** Of a bucket of time; of a single point all four are equal. `time` in seconds. */
export type ChartPoint = readonly [time: number, least: number, greatest: number, mean: number, last: number]

export interface ChartSeries {
  key: string
  name: string
  unit: string | null
  /** Its values are 1 and 0, and said as 是 and 否. */
  isSwitch?: boolean | undefined
  /** By time; null: nothing is known between the points beside it. */
  points: readonly (ChartPoint | null)[]
}

export const markTypes = ['offline', 'stay', 'alarm', 'upgrade', 'command'] as const
export type MarkType = (typeof markTypes)[number]

/** Something that happened: a moment, or a span; `end` null goes on. In seconds. */
export interface ChartMark {
  type: MarkType
  id: string
  name: string
  start: number
  end: number | null
}

/** In seconds. */
export interface ChartRange {
  start: number
  end: number
}

type Column = (number | null | undefined)[]

export interface Aligned {
  times: number[]
  /** By series. `null` is a gap, also at the times of other series in it; `undefined` a time over which the curve goes on. */
  columns: { least: Column; greatest: Column; mean: Column }[]
}

/** The curves on one axis. A gap has no time: it stands halfway between its neighbours. */
export function alignedOf(series: readonly ChartSeries[]): Aligned {
  const timed = series.map(({ points }) =>
    points.flatMap((point, at): [number, ChartPoint | null][] => {
      if (point) return [[point[0], point]]
      const before = points[at - 1]
      const after = points[at + 1]
      // A gap at an end, and the second of two gaps, draw nothing anyway.
      return before && after ? [[(before[0] + after[0]) / 2, null]] : []
    }),
  )
  const times = [...new Set(timed.flatMap((points) => points.map(([time]) => time)))].sort((a, b) => a - b)
  const columns = timed.map((points) => {
    let next = 0
    const placed = times.map((time) => {
      const here = points[next]
      if (here?.[0] === time) {
        next += 1
        return here[1]
      }
      const before = points[next - 1]
      return before && here && (before[1] === null || here[1] === null) ? null : undefined
    })
    const column = (part: 1 | 2 | 3): Column => placed.map((point) => (point ? point[part] : point))
    return { least: column(1), greatest: column(2), mean: column(3) }
  })
  return { times, columns }
}

/** From when until when, in seconds. */
export type Span = readonly [from: number, until: number]

/**
 * Offline times in which a curve has no points, so that no line goes through them. A device that kept its values while it
 * was offline, and sent them later, has points there.
 */
export function unheardOf({ points }: ChartSeries, marks: readonly ChartMark[]): Span[] {
  const offline = marks.filter(({ type }) => type === 'offline')
  const spans: Span[] = []
  for (const [at, after] of points.entries()) {
    const before = points[at - 1]
    if (!before || !after) continue
    for (const { start, end } of offline) {
      const until = end ?? Number.POSITIVE_INFINITY
      const isWithin = start <= before[0] && after[0] <= until
      const span: Span = [Math.max(start, before[0]), Math.min(until, after[0])]
      if (!isWithin && span[0] < span[1]) spans.push(span)
    }
  }
  return spans
}

/** Spans in order, those that touch as one. */
export function mergedSpans(spans: readonly Span[]): [number, number][] {
  const merged: [number, number][] = []
  for (const [from, until] of spans.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], until)
    else merged.push([from, until])
  }
  return merged
}

/** The points that no line meets at either side, by their places on the axis. */
export function aloneOf(times: readonly number[], column: Column, unheard: readonly Span[]): number[] {
  const known = column.flatMap((value, at) => (value === undefined ? [] : [at]))
  return known.filter((at, place) => {
    const [before, after] = [known[place - 1], known[place + 1]]
    const meets = (other: number | undefined, side: 0 | 1) =>
      other !== undefined && column[other] !== null && !unheard.some((span) => span[side] === times[at])
    return column[at] !== null && !meets(before, 1) && !meets(after, 0)
  })
}

/** The point nearest to a moment; none in a gap, or where the nearest is farther than a bucket away. */
export function pointNear({ points }: ChartSeries, time: number): ChartPoint | undefined {
  let before: ChartPoint | undefined
  let after: ChartPoint | undefined
  let isGap = false
  for (const point of points) {
    if (point === null) {
      isGap = true
    } else if (point[0] <= time) {
      before = point
      isGap = false
    } else {
      after = point
      break
    }
  }
  const nearest = !before || (after && after[0] - time < time - before[0]) ? (after ?? before) : before
  if (!nearest) return undefined
  const off = Math.abs(nearest[0] - time)
  return off === 0 || (!isGap && before && after) || off <= stepOf(points) ? nearest : undefined
}

/** The usual distance of two points. */
function stepOf(points: readonly (ChartPoint | null)[]): number {
  const steps = points
    .flatMap((point, at) => {
      const before = points[at - 1]
      return point && before ? [point[0] - before[0]] : []
    })
    .sort((a, b) => a - b)
  return steps[Math.floor(steps.length / 2)] ?? 0
}

export interface Extent {
  least: number
  leastAt: number
  greatest: number
  greatestAt: number
  last: number
}

/** The least and the greatest value of a curve, and when; undefined without points. */
export function extentOf({ points }: ChartSeries): Extent | undefined {
  let extent: Extent | undefined
  for (const point of points) {
    if (!point) continue
    const [time, least, greatest, , last] = point
    extent ??= { least, leastAt: time, greatest, greatestAt: time, last }
    if (least < extent.least) Object.assign(extent, { least, leastAt: time })
    if (greatest > extent.greatest) Object.assign(extent, { greatest, greatestAt: time })
    extent.last = last
  }
  return extent
}

/** The marks at a moment; one without a length is found within `reach` seconds. */
export function marksAt(marks: readonly ChartMark[], time: number, reach: number): ChartMark[] {
  return marks.filter(({ start, end }) => {
    const until = end ?? Number.POSITIVE_INFINITY
    return time >= start - reach && time <= Math.max(until, start + reach)
  })
}

export interface ChartAxis {
  key: string
  unit: string
  isOfSwitches: boolean
}

/** Switches have an axis of their own: 是 and 否 are no figures. */
export const axisKey = ({ unit, isSwitch }: Pick<ChartSeries, 'unit' | 'isSwitch'>): string =>
  isSwitch ? 'switch' : `unit ${unit ?? ''}`

/** An axis for each unit of the curves, in the order in which they come. */
export function axesOf(series: readonly ChartSeries[]): ChartAxis[] {
  const axes = series.map((curve) => ({
    key: axisKey(curve),
    unit: curve.isSwitch ? '' : (curve.unit ?? ''),
    isOfSwitches: curve.isSwitch === true,
  }))
  return [...new Map(axes.map((axis) => [axis.key, axis])).values()]
}

/** A value with as many decimals as its size asks for. */
export function valueText(value: number, decimals = 0): string {
  const size = Math.abs(value)
  const short = Number(value.toFixed(size >= 1_000 ? 0 : size >= 100 ? 1 : 2))
  return decimals === 0 ? short.toString() : short.toFixed(decimals)
}

/** As many decimals as the values of a curve have at most. */
export const decimalsOf = ({ points }: ChartSeries): number =>
  Math.max(0, ...points.map((point) => (point && valueText(point[3]).split('.')[1]?.length) ?? 0))

export interface TableRow {
  time: number
  /** By series; undefined where it has no point at this time. */
  points: (ChartPoint | undefined)[]
}

/** The same as a table, newest first. */
export function tableOf(series: readonly ChartSeries[]): TableRow[] {
  const rows = new Map<number, (ChartPoint | undefined)[]>()
  for (const [at, { points }] of series.entries()) {
    for (const point of points) {
      if (!point) continue
      const row = rows.get(point[0]) ?? series.map(() => undefined)
      row[at] = point
      rows.set(point[0], row)
    }
  }
  return [...rows].sort(([a], [b]) => b - a).map(([time, points]) => ({ time, points }))
}
