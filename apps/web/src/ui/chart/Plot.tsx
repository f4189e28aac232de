// The canvas of a chart: curves with their bands, an axis for each unit, what happened in lanes above. Drawn by uPlot.
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useIsDark } from '../../lib/browser/theme.ts'
import styles from './Chart.module.css'
import {
  type Aligned,
  aloneOf,
  axesOf,
  axisKey,
  type ChartAxis,
  type ChartMark,
  type ChartRange,
  type ChartSeries,
  mergedSpans,
  unheardOf,
} from './chart.data.ts'
import { deedOf, leastSpanS } from './chart.keys.ts'
import { axisTime } from './chart.ranges.ts'
import { chartTexts } from './chart.texts.ts'
import { curveText } from './chart.words.ts'
import { type Colours, coloursNow, curveColour, curveDash } from './curves.ts'
import { drawLanes, drawOffline, lanesHeight } from './lanes.ts'

export interface PlotProps {
  series: readonly ChartSeries[]
  aligned: Aligned
  marks: readonly ChartMark[]
  range: ChartRange
  heightPx: number
  /** Names and describes the chart for who does not see it. */
  labelledBy: string
  describedBy: string
  /** The moment at the pointer or chosen by keys; undefined without one. */
  onPoint: (time: number | undefined) => void
  onRange: (range: ChartRange) => void
  onReset: () => void
}

const axisWidthPx = 52
/** A switch is what it was until it changes. */
const steps = uPlot.paths.stepped?.({ align: 1 })
/** A drag over less is a press. */
const leastDragPx = 6

export function Plot(props: PlotProps) {
  const { series, aligned, marks, range, heightPx } = props
  const box = useRef<HTMLElement>(null)
  const plot = useRef<uPlot>(undefined)
  const at = useRef<number>(undefined)
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  const width = useWidth(box)
  const isDark = useIsDark()
  useLayoutEffect(() => {
    const host = box.current
    if (!host || width === 0) return
    // The attribute of the theme is set before: the variables are those of the present one.
    const colours = coloursNow(isDark)
    const axes = axesOf(series)
    const options: uPlot.Options = {
      width,
      height: heightPx,
      padding: [lanesHeight(marks), axes.length > 1 ? 0 : 16, 0, 0],
      legend: { show: false },
      cursor: {
        drag: { x: true, y: false, setScale: false, dist: leastDragPx },
        y: false,
        points: { size: 7 },
      },
      scales: {
        x: { time: true, range: () => [latest.current.range.start, latest.current.range.end] },
        ...Object.fromEntries(axes.map((axis) => [axis.key, { range: boundsOf(axis) }])),
      },
      axes: [
        {
          stroke: colours.text,
          grid: { stroke: colours.line, width: 1 },
          ticks: { stroke: colours.line, width: 1, size: 4 },
          font: colours.font,
          values: (_, times, __, ___, distance) => times.map((time) => axisTime(time, distance)),
          space: 64,
        },
        ...axes.map(
          (axis, index): uPlot.Axis => ({
            scale: axis.key,
            // On a phone more axes would leave no room for the curves, whose values stand above.
            show: index < 2 || width >= 600,
            side: index % 2 === 0 ? 3 : 1,
            size: axisWidthPx,
            stroke: axisColour(series, axis, colours),
            font: colours.font,
            grid: index === 0 ? { stroke: colours.line, width: 1 } : { show: false },
            ticks: { stroke: colours.line, width: 1, size: 4 },
            values: (_, values) => values.map(axisText(axis)),
            ...(axis.isOfSwitches && { splits: [0, 1] }),
            ...(axis.unit !== '' &&
              axis.unit !== '%' && { label: axis.unit, labelFont: colours.font, labelSize: 18 }),
          }),
        ),
      ],
      series: [
        {},
        ...series.flatMap((curve, index): uPlot.Series[] => {
          const { name, isSwitch } = curve
          const unheard = unheardOf(curve, marks)
          const alone = aloneOf(aligned.times, aligned.columns[index]?.mean ?? [], unheard)
          const line: uPlot.Series = {
            scale: axisKey(curve),
            gaps: (drawn, _, __, ___, gaps) =>
              mergedSpans([
                ...gaps,
                ...unheard.map(([from, until]): [number, number] => [
                  drawn.valToPos(from, 'x', true),
                  drawn.valToPos(until, 'x', true),
                ]),
              ]),
            ...(isSwitch && steps && { paths: steps }),
          }
          const edge = { ...line, width: 0, points: { show: false } }
          const dash = curveDash(index)
          return [
            { ...edge, label: `${name} max` },
            { ...edge, label: `${name} min` },
            {
              ...line,
              label: name,
              stroke: curveColour(colours, index),
              width: 1.6,
              ...(dash && { dash }),
              points: {
                size: 4,
                fill: curveColour(colours, index),
                // Where there is room all points are shown, else those that no line shows.
                filter: (_, __, isShown) => (isShown ? null : alone),
              },
            },
          ]
        }),
      ],
      bands: series.map((_, index) => ({
        series: [index * 3 + 1, index * 3 + 2],
        fill: `${curveColour(colours, index)}2e`,
      })),
      hooks: {
        drawClear: [(drawn) => drawOffline(drawn, marks, colours)],
        draw: [(drawn) => drawLanes(drawn, marks, colours)],
        setCursor: [
          ({ cursor, data }) => {
            const index = cursor.left === undefined || cursor.left < 0 ? undefined : (cursor.idx ?? undefined)
            at.current = index
            latest.current.onPoint(index === undefined ? undefined : data[0][index])
          },
        ],
        setSelect: [
          (drawn) => {
            const { left, width: wide } = drawn.select
            if (wide < leastDragPx) return
            const start = drawn.posToVal(left, 'x')
            const end = drawn.posToVal(left + wide, 'x')
            drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
            const middle = (start + end) / 2
            const half = Math.max(leastSpanS, end - start) / 2
            latest.current.onRange({ start: Math.round(middle - half), end: Math.round(middle + half) })
          },
        ],
      },
    }
    const data = [
      aligned.times,
      ...aligned.columns.flatMap(({ least, greatest, mean }) => [greatest, least, mean]),
    ] as uPlot.AlignedData
    at.current = undefined
    const drawn = new uPlot(options, data, host)
    // uPlot zooms out by itself at a double press: the range is the address's.
    drawn.over.addEventListener('dblclick', (event) => {
      event.stopImmediatePropagation()
      latest.current.onReset()
    })
    plot.current = drawn
    return () => {
      plot.current = undefined
      drawn.destroy()
    }
  }, [series, aligned, marks, width, heightPx, isDark])
  useEffect(() => {
    plot.current?.setScale('x', { min: range.start, max: range.end })
  }, [range.start, range.end])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const deed = deedOf(event, { at: at.current, times: aligned.times, range })
    if (deed === undefined) return
    event.preventDefault()
    if (deed === 'reset') props.onReset()
    else if ('range' in deed) props.onRange(deed.range)
    else point(plot.current, deed.at)
  }
  return (
    <section
      ref={box}
      className={styles.plot}
      style={{ height: heightPx }}
      aria-roledescription={chartTexts.chart}
      aria-labelledby={props.labelledBy}
      aria-describedby={props.describedBy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys walk the points
      tabIndex={0}
      onKeyDown={onKeyDown}
    />
  )
}

function point(drawn: uPlot | undefined, index: number): void {
  const time = drawn?.data[0][index]
  if (!drawn || time === undefined) return
  drawn.setCursor({ left: drawn.valToPos(time, 'x'), top: drawn.over.clientHeight / 2 })
}

/** An axis of one curve has its colour; one of several has the colour of text. */
function axisColour(series: readonly ChartSeries[], { key }: ChartAxis, colours: Colours): string {
  const own = series.flatMap((curve, at) => (axisKey(curve) === key ? [at] : []))
  return own.length === 1 && series.length > 1 ? curveColour(colours, own[0] ?? 0) : colours.text
}

function axisText({ unit, isOfSwitches }: ChartAxis): (value: number) => string {
  if (unit === '%') return (value) => `${value}%`
  return isOfSwitches ? (value) => curveText({ isSwitch: true }, value) : String
}

/** Shares stand between none and all; other figures get room above and below. */
const boundsOf =
  ({ unit, isOfSwitches }: ChartAxis): uPlot.Range.Function =>
  (_, least, greatest) => {
    if (isOfSwitches) return [-0.1, 1.1]
    if (least === null || greatest === null) return [0, 1]
    if (unit === '%' && least >= 0 && greatest <= 100) return [0, 100]
    return uPlot.rangeNum(least, greatest, 0.1, true)
  }

/** The width of its box, in whole pixels; 0 before it is known. */
function useWidth(box: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () => setWidth(Math.floor(element.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return width
}
