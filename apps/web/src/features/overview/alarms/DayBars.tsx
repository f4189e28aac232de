// New alarms per day as bars, stacked by level with the most severe at the bottom. Pointing at a day shows its numbers.
import type { Overview } from '@voltkeep/contract/overview'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { texts } from '../../../lib/texts/index.ts'
import styles from '../overview.module.css'
import { overviewTexts } from '../overview.texts.ts'
import { averageOf, dayWords, shownDays, unknownOf, weekChange } from '../overview.words.ts'
import { Section } from '../Section.tsx'
import { axisMarks } from './axis.ts'

type Day = Overview['alarmsByDay'][number]

const height = 120
const step = 20
const barWidth = 14

export function DayBars({ days }: { days: readonly Day[] }) {
  const counts = days.map(({ count }) => count)
  const { days: withData, average } = averageOf(counts)
  const sum = counts.reduce((all, count) => all + count, 0)
  const change = weekChange(counts)
  const title = overviewTexts.byDay(shownDays(days).length)
  return (
    <Section
      title={title}
      beside={change !== null && <span className={styles.quiet}>{overviewTexts.weekChange(change)}</span>}
      aside={overviewTexts.byDayTotal(formatCount(sum), formatCount(average), withData)}
    >
      {sum === 0 ? (
        <p className={styles.none}>{overviewTexts.noneByDay}</p>
      ) : (
        <Bars title={title} days={days} />
      )}
    </Section>
  )
}

function Bars({ title, days: month }: { title: string; days: readonly Day[] }) {
  const [pointed, setPointed] = useState<number>()
  const days = shownDays(month)
  /** The same weekday a week before; 0 without data. */
  const befores = days.map((_, at) => month[month.length - days.length + at - 7]?.count ?? 0)
  const marks = axisMarks(Math.max(...days.map(({ count }) => count), ...befores))
  const top = marks.at(-1) ?? 1
  const width = days.length * step
  const shown = pointed === undefined ? undefined : days[pointed]
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
          aria-label={`${title}：${days.map((day, at) => dayWords(day, befores[at])).join('；')}`}
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
          {days.map((day, at) => (
            <g
              key={day.day}
              data-pointed={at === pointed || undefined}
              onPointerEnter={() => setPointed(at)}
              transform={`translate(${at * step} 0)`}
            >
              <rect className={styles.barSpace} y="0" width={step} height={height} />
              {partsOf(day, top).map(({ level, y, tall }) => (
                <rect
                  key={level}
                  className={styles.dayBar}
                  data-level={level}
                  x={(step - barWidth) / 2}
                  y={y}
                  width={barWidth}
                  height={tall}
                />
              ))}
              {(befores[at] ?? 0) > 0 && (
                <line
                  className={styles.before}
                  x1="1"
                  x2={step - 1}
                  y1={height * (1 - (befores[at] ?? 0) / top)}
                  y2={height * (1 - (befores[at] ?? 0) / top)}
                  vectorEffect="non-scaling-stroke"
                />
              )}
            </g>
          ))}
        </svg>
      </div>
      <figcaption className={styles.days}>
        <span>{days[0]?.day.slice(5)}</span>
        {shown ? (
          <span className={styles.pointed}>{dayWords(shown, befores[pointed ?? 0])}</span>
        ) : (
          <Legend
            hasUnknown={days.some((day) => unknownOf(day) > 0)}
            hasBefore={befores.some((count) => count > 0)}
          />
        )}
        <span>{overviewTexts.today}</span>
      </figcaption>
    </figure>
  )
}

/**
 * The segments of a day's bar from the bottom up; alarms without a level come last. A day with any alarm has a
 * visible bar.
 */
function partsOf(day: Day, top: number): { level: number; y: number; tall: number }[] {
  const { count, levels } = day
  const scale = count === 0 ? 0 : Math.max(2, (count / top) * height) / count
  let y = height
  return [...levels.map((n, at) => ({ level: at + 1, n })), { level: 0, n: unknownOf(day) }]
    .filter(({ n }) => n > 0)
    .map(({ level, n }) => {
      y -= n * scale
      return { level, y, tall: n * scale }
    })
}

function Legend({ hasUnknown, hasBefore }: { hasUnknown: boolean; hasBefore: boolean }) {
  return (
    <span className={styles.legend} aria-hidden="true">
      {[1, 2, 3, 4, ...(hasUnknown ? [0] : [])].map((level) => (
        <span key={level}>
          <i data-level={level} />
          {texts.states.levels[level]}
        </span>
      ))}
      {hasBefore && (
        <span>
          <i data-before />
          {overviewTexts.weekBefore}
        </span>
      )}
    </span>
  )
}
