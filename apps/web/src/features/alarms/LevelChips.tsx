import { alarmLevels } from '@voltkeep/contract/dictionary'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import type { List } from '../../ui/list/useList.ts'
import { LevelSign } from '../../ui/marks/LevelTag.tsx'
import { alarmTexts } from './alarms.texts.ts'
import styles from './LevelChips.module.css'
import type { AlarmLevels } from './useAlarmLevels.ts'

type Level = (typeof alarmLevels)[number]

/** From ten thousand on in ten thousands: the line of the chips stays one. */
const brief = (count: number) => (count < 10_000 ? formatCount(count) : alarmTexts.tenThousands(count))

/** A chip per level with its number of alarms. Pressed chips filter the list by their levels. */
export function LevelChips({
  list,
  levels,
}: {
  list: Pick<List, 'apply'> & { filters: List['filters'] & { alarmLevel?: Level[] | undefined } }
  levels: AlarmLevels['levels']
}) {
  const chosen = list.filters.alarmLevel ?? []
  const countOf = (level: number) => levels?.find((one) => one.level === level)?.count
  const toggle = (level: Level) => {
    const next = chosen.includes(level) ? chosen.filter((one) => one !== level) : [...chosen, level]
    list.apply({ ...list.filters, alarmLevel: next.length > 0 ? next.toSorted((a, b) => a - b) : undefined })
  }
  const unknown = countOf(0)
  return (
    <fieldset className={styles.chips}>
      <legend className="visually-hidden">{alarmTexts.fields.level}</legend>
      {alarmLevels.map((level) => {
        const count = countOf(level)
        return (
          <button
            key={level}
            type="button"
            className={styles.chip}
            aria-pressed={chosen.includes(level)}
            data-none={count === 0 || undefined}
            onClick={() => toggle(level)}
          >
            <LevelSign level={level} />
            {texts.states.levels[level]}
            <span className={styles.count} title={formatCount(count ?? 0)}>
              {count === undefined ? '' : brief(count)}
            </span>
          </button>
        )
      })}
      {unknown !== undefined && unknown > 0 && (
        <span className={styles.unknown}>
          <LevelSign level={0} />
          {texts.states.levels[0]}
          <span className={styles.count}>{formatCount(unknown)}</span>
        </span>
      )}
    </fieldset>
  )
}
