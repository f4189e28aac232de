import { formatCount } from '../../../lib/format.ts'
import { logTexts } from '../logs.texts.ts'
import { levels } from './text/levels.ts'
import type { LogView } from './useLogView.ts'
import styles from './viewer.module.css'

const words = logTexts.viewer

/**
 * A button per level with its number of lines, the most severe first. Pressed buttons filter the lines. Its row is there
 * before the first count: the lines below keep their place.
 */
export function LevelFilter({ view, counts }: { view: LogView; counts: readonly number[] }) {
  const there = levels.map((_, level) => level).filter((level) => (counts[level] ?? 0) > 0)
  // A single level leaves nothing to filter.
  if (there.length < 2) return <span className={styles.levels} />
  const press = (level: number) => {
    const before = view.shown ?? []
    const next = before.includes(level) ? before.filter((each) => each !== level) : [...before, level]
    void view.show(next.length === 0 || next.length === there.length ? undefined : next)
  }
  return (
    <fieldset className={styles.levels} aria-label={words.levelFilter}>
      {there.toReversed().map((level) => (
        <button
          key={level}
          type="button"
          className={styles.levelButton}
          data-level={levels[level]}
          aria-pressed={view.shown?.includes(level) ?? false}
          onClick={() => press(level)}
        >
          {words.levels[levels[level] ?? 'none']} <span>{formatCount(counts[level] ?? 0)}</span>
        </button>
      ))}
    </fieldset>
  )
}
