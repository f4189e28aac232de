import type { Overview } from '@voltkeep/contract/overview'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { axisMarks } from './axis.ts'
import styles from './overview.module.css'
import { overviewTexts } from './overview.texts.ts'
import { averageOf } from './overview.words.ts'
import { Section } from './Section.tsx'

type Day = Overview['alarmsByDay'][number]

const height = 120
const step = 20
const barWidth = 14

/** New alarms a day, by level, the gravest at the bottom; the day pointed at says its numbers. */
export function DayBars({ days }: { days: readonly Day[] }) {
  const counts = days.map(({ count }) => count)
  const { days: withData, average } = averageOf(counts)
  const sum = counts.reduce((all, count) => all + count, 0)
  return (
    <Section
      title={overviewTexts.byDay}
      aside={overviewTexts.byDayTotal(formatCount(sum), formatCount(average), withData)}
    >
      {sum === 0 ? <p className={styles.none}>{overviewTexts.noneByDay}</p> : <Bars days={days} />}
    </Section>
  )
}

function Bars({ days }: { days: readonly Day[] }) {
  const [pointed, setPointed] = useState<number>()
  const marks = axisMarks(Math.max(...days.map(({ count }) => count)))
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
          aria-label={`${overviewTexts.byDay}：${days.map(wordsOf).join('；')}`}
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
            </g>
          ))}
        </svg>
      </div>
      <figcaption className={styles.days}>
        <span>{days[0]?.day.slice(5)}</span>
        <span className={styles.pointed}>{shown && wordsOf(shown)}</span>
        <span>{overviewTexts.today}</span>
      </figcaption>
    </figure>
  )
}

/** The pieces of a day's bar from the bottom up; what has no level comes last. A day with any alarm is to be seen. */
function partsOf({ count, levels }: Day, top: number): { level: number; y: number; tall: number }[] {
  const unknown = count - levels.reduce((sum, each) => sum + each, 0)
  const scale = count === 0 ? 0 : Math.max(2, (count / top) * height) / count
  let y = height
  return [...levels.map((n, at) => ({ level: at + 1, n })), { level: 0, n: unknown }]
    .filter(({ n }) => n > 0)
    .map(({ level, n }) => {
      y -= n * scale
      return { level, y, tall: n * scale }
    })
}

/** `2026-11-21：12 条（紧急 2，重要 10）`. */
function wordsOf({ day, count, levels }: Day): string {
  const parts = levels.flatMap((n, at) =>
    n > 0 ? [overviewTexts.dayLevel(texts.states.levels[at + 1] ?? '', formatCount(n))] : [],
  )
  const whole = overviewTexts.dayCount(day, formatCount(count))
  return parts.length > 0 ? `${whole}（${parts.join('，')}）` : whole
}
