import type { Overview } from '@voltkeep/contract/overview'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { axisMarks } from './axis.ts'
import styles from './overview.module.css'
import { overviewTexts } from './overview.texts.ts'

const height = 120
const step = 20
const barWidth = 14

/** A bar a day; the one pointed at says its number. */
export function DayBars({ days }: { days: Overview['alarmsByDay'] }) {
  const [pointed, setPointed] = useState<number>()
  const marks = axisMarks(Math.max(0, ...days.map((each) => each.count)))
  const top = marks.at(-1) ?? 0
  const width = days.length * step
  const shown = pointed === undefined ? undefined : days[pointed]
  if (top === 0) return <p className={styles.none}>{overviewTexts.noneByDay}</p>
  return (
    <figure className={styles.chart}>
      <div className={styles.plot}>
        <div className={styles.scale} aria-hidden="true">
          {marks.toReversed().map((mark) => (
            <span key={mark}>{formatCount(mark)}</span>
          ))}
        </div>
        <svg
          className={styles.bars}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${overviewTexts.byDay}：${days.map(({ day, count }) => overviewTexts.dayCount(day, formatCount(count))).join('，')}`}
          onPointerLeave={() => setPointed(undefined)}
        >
          {marks.map((mark) => (
            <line
              key={mark}
              className={styles.grid}
              x1="0"
              x2={width}
              y1={height * (1 - mark / top)}
              y2={height * (1 - mark / top)}
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {days.map(({ day, count }, at) => {
            // A day with any alarm at all is to be seen.
            const tall = count === 0 ? 0 : Math.max(2, (count / top) * height)
            return (
              <g key={day} data-pointed={at === pointed || undefined} onPointerEnter={() => setPointed(at)}>
                <rect className={styles.barSpace} x={at * step} y="0" width={step} height={height} />
                <rect
                  className={styles.bar}
                  x={at * step + (step - barWidth) / 2}
                  y={height - tall}
                  width={barWidth}
                  height={tall}
                />
              </g>
            )
          })}
        </svg>
      </div>
      <figcaption className={styles.days}>
        <span>{days[0]?.day.slice(5)}</span>
        <span className={styles.pointed}>
          {shown && overviewTexts.dayCount(shown.day, formatCount(shown.count))}
        </span>
        <span>{overviewTexts.today}</span>
      </figcaption>
    </figure>
  )
}
