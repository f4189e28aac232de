import type { AlarmRow } from '@voltkeep/contract/alarms'
import type { Overview } from '@voltkeep/contract/overview'
import type { ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import type { UpgradeTaskRow } from '@voltkeep/contract/upgrades'
import { formatCount } from '../../../lib/format.ts'
import { LevelSign } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { devicePage } from '../overview.links.ts'
import styles from '../overview.module.css'
import { overviewTexts } from '../overview.texts.ts'
import { sinceWord } from '../overview.words.ts'
import { todosOf } from './overview.todo.ts'

const words = overviewTexts.todo

/** What needs attention now: one line each, linked to the page where it is handled. */
export function TodoList({
  overview,
  upgrades,
  critical,
  failed,
  waiting,
}: {
  overview: Overview
  upgrades: readonly UpgradeTaskRow[]
  critical: readonly AlarmRow[]
  failed: readonly ParameterBatchRow[]
  waiting: readonly ParameterBatchRow[]
}) {
  const todos = todosOf(overview, upgrades, critical, failed, waiting)
  return (
    <section
      className={styles.todos}
      aria-labelledby="overview-todo"
      data-urgent={todos[0]?.level === 1 || undefined}
    >
      <h2 id="overview-todo">{words.title}</h2>
      <p className={styles.readAt}>
        <PageLink page={devicePage}>{overviewTexts.deviceCount(formatCount(overview.deviceCount))}</PageLink>
        {overview.change && (
          <span>{overviewTexts.changesSince(sinceWord(overview.change.since, overview.readTime))}</span>
        )}
        <RelativeTime time={overview.readTime} isShort />
      </p>
      {todos.length === 0 ? (
        <p className={styles.calm}>{words.none}</p>
      ) : (
        <ul>
          {todos.map(({ key, level, text, count, beside, device, since, page, search }) => (
            <li key={key}>
              <PageLink page={page} search={search} className={styles.todo}>
                {level === null ? (
                  <span className={styles.ring} aria-hidden="true" />
                ) : (
                  <LevelSign level={level} />
                )}
                <span className={styles.name} title={text}>
                  {text}
                </span>
                {count && <strong>{count}</strong>}
                <span className={styles.about}>
                  {device && <span className="mono">{device}</span>}
                  {beside && (
                    <span className={styles.beside} title={beside}>
                      {beside}
                    </span>
                  )}
                  {since && <RelativeTime time={since} isShort />}
                </span>
              </PageLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
