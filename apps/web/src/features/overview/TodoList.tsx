import type { Overview } from '@voltkeep/contract/overview'
import type { UpgradeTaskRow } from '@voltkeep/contract/upgrades'
import { LevelSign } from '../../ui/LevelTag.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import styles from './overview.module.css'
import { overviewTexts } from './overview.texts.ts'
import { todosOf } from './overview.todo.ts'

const words = overviewTexts.todo

/** What is to be done now; a line each, leading to where it is done. */
export function TodoList({
  overview,
  upgrades,
}: {
  overview: Overview
  upgrades: readonly UpgradeTaskRow[]
}) {
  const todos = todosOf(overview, upgrades)
  return (
    <section
      className={styles.todos}
      aria-labelledby="overview-todo"
      data-urgent={todos[0]?.level === 1 || undefined}
    >
      <h2 id="overview-todo">{words.title}</h2>
      {todos.length === 0 ? (
        <p className={styles.calm}>{words.none}</p>
      ) : (
        <ul>
          {todos.map(({ key, level, text, count, beside, page, search }) => (
            <li key={key}>
              <PageLink page={page} search={search} className={styles.todo}>
                {level === null ? (
                  <span className={styles.ring} aria-hidden="true" />
                ) : (
                  <LevelSign level={level} />
                )}
                <span>{text}</span>
                {count && <strong>{count}</strong>}
                {beside && <span className={styles.quiet}>{beside}</span>}
              </PageLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
