// A chart: its curves, the values at the pointer, what happened meanwhile, and the same as a table.
import { type ReactNode, useId, useMemo, useState } from 'react'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { EmptyState } from '../EmptyState.tsx'
import styles from './Chart.module.css'
import {
  alignedOf,
  type ChartMark,
  type ChartRange,
  type ChartSeries,
  extentOf,
  marksAt,
  pointNear,
  valueText,
} from './chart.data.ts'
import { wireTime } from './chart.ranges.ts'
import { chartTexts as words } from './chart.texts.ts'
import { curveText, hasBand } from './chart.words.ts'
import { curveDash, curveVariable } from './curves.ts'
import { Plot } from './Plot.tsx'

export interface ChartProps {
  title: string
  series: readonly ChartSeries[]
  marks: readonly ChartMark[]
  range: ChartRange
  /** Another range is being read: these curves are those of the one before. */
  isBusy: boolean
  emptyHint?: string | undefined
  /** What the window leaves, where it is left out. */
  heightPx?: number | undefined
  onRange: (range: ChartRange) => void
  onReset: () => void
  /** Removes a curve. */
  onRemove?: ((key: string) => void) | undefined
  /** A mark's name, e.g. as a link to what it is. */
  nameOf: (mark: ChartMark) => ReactNode
}

/** Of the width: a mark without a length is found within this share at both sides of the pointer. */
const reachShare = 1 / 120

const narrowPx = 260

/** What the window leaves below the controls, within bounds. */
const highPx = () => Math.round(Math.min(620, Math.max(320, window.innerHeight - 430)))

export default function Chart(props: ChartProps) {
  const { title, series, marks, range, isBusy, nameOf, emptyHint = words.emptyHint, heightPx } = props
  const titleId = useId()
  const descriptionId = useId()
  const isNarrow = useMedia(narrowQuery)
  const [time, setTime] = useState<number>()
  const aligned = useMemo(() => alignedOf(series), [series])
  const isEmpty = aligned.times.length === 0
  const here = time === undefined ? [] : marksAt(marks, time, (range.end - range.start) * reachShare)
  return (
    <figure className={styles.chart} aria-busy={isBusy}>
      <figcaption className="visually-hidden" id={titleId}>
        {title}
      </figcaption>
      <p className="visually-hidden" id={descriptionId}>
        {descriptionOf(series, marks, range)} {words.keys}
      </p>
      <Readout {...props} time={time} />
      {/* Without data the axes stay: the keys that lead back are the plot's. */}
      <div className={styles.field}>
        <Plot
          {...props}
          aligned={aligned}
          heightPx={isNarrow ? narrowPx : (heightPx ?? highPx())}
          labelledBy={titleId}
          describedBy={descriptionId}
          onPoint={setTime}
        />
        {isEmpty && !isBusy && (
          <div className={styles.nothing}>
            <EmptyState title={words.empty} hint={emptyHint} />
          </div>
        )}
      </div>
      <p className={styles.here} aria-hidden="true">
        {here.map((mark) => (
          <span key={`${mark.type}${mark.id}`} data-type={mark.type} className={styles.mark}>
            {words.marks[mark.type]} {mark.name}
          </span>
        ))}
        {here.length === 0 && <span className={styles.hint}>{words.keys}</span>}
      </p>
      <p className="visually-hidden" aria-live="polite">
        {time !== undefined && spokenAt(series, here, time)}
      </p>
      {marks.length > 0 && (
        <details className={styles.marks}>
          <summary>{words.marksTitle(marks.length)}</summary>
          <ul>
            {marks.map((mark) => (
              <li key={`${mark.type}${mark.id}`}>
                <span data-type={mark.type} className={styles.mark}>
                  {words.marks[mark.type]}
                </span>
                <span className={styles.markTime}>
                  {words.span(
                    wireTime(mark.start),
                    mark.end === null ? null : mark.end === mark.start ? '' : wireTime(mark.end),
                  )}
                </span>
                <span>{nameOf(mark)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </figure>
  )
}

/** The curves' names with their values: at the pointer, else the newest. */
function Readout({ series, onRemove, time }: ChartProps & { time: number | undefined }) {
  return (
    <div className={styles.readout}>
      <span className={styles.moment}>{time === undefined ? words.newest : wireTime(time)}</span>
      <ul>
        {series.map((curve, at) => {
          const unit = curve.unit ?? ''
          const newest = curve.points.findLast((point) => point !== null)
          const point = time === undefined ? newest : pointNear(curve, time)
          return (
            <li key={curve.key}>
              <svg width="18" height="8" aria-hidden="true">
                <line
                  x1="0"
                  x2="18"
                  y1="4"
                  y2="4"
                  stroke={curveVariable(at)}
                  strokeWidth="2.5"
                  strokeDasharray={curveDash(at)?.join(' ')}
                />
              </svg>
              <span>{curve.name}</span>
              {point ? (
                <b>
                  {curveText(curve, time === undefined ? point[4] : point[3])}
                  <span className={styles.unit}>{unit}</span>
                </b>
              ) : (
                <span className={styles.none}>{words.unknown}</span>
              )}
              {point && hasBand(curve, point) && (
                <span className={styles.band}>{words.band(valueText(point[1]), valueText(point[2]))}</span>
              )}
              {onRemove && series.length > 1 && (
                <button
                  type="button"
                  className={styles.remove}
                  aria-label={words.remove(curve.name)}
                  title={words.remove(curve.name)}
                  onClick={() => onRemove(curve.key)}
                >
                  ×
                </button>
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function descriptionOf(
  series: readonly ChartSeries[],
  marks: readonly ChartMark[],
  { start, end }: ChartRange,
): string {
  return [
    words.describedRange(wireTime(start), wireTime(end)),
    ...series.map((curve) => {
      const extent = extentOf(curve)
      if (!extent) return words.describedNone(curve.name)
      const { least, leastAt, greatest, greatestAt } = extent
      return words.described(
        curve.name,
        curve.unit ?? '',
        curveText(curve, least),
        wireTime(leastAt),
        curveText(curve, greatest),
        wireTime(greatestAt),
      )
    }),
    ...(marks.length > 0 ? [words.describedMarks(marks.length)] : []),
  ].join('')
}

function spokenAt(series: readonly ChartSeries[], marks: readonly ChartMark[], time: number): string {
  const values = series.map((curve) => {
    const point = pointNear(curve, time)
    return `${curve.name} ${point ? `${curveText(curve, point[3])}${curve.unit ?? ''}` : words.unknown}`
  })
  const names = marks.map(({ type, name }) => `${words.marks[type]} ${name}`)
  return [wireTime(time), ...values, ...names].join('，')
}
