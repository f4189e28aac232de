import { useQuery } from '@tanstack/react-query'
import { liveUpgradeTargets, liveUpgradeTasks, readUpgradeTask } from '@voltkeep/contract/upgrades'
import { Button, Skeleton } from 'antd'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { Attention } from './Attention.tsx'
import { Failures } from './Failures.tsx'
import { Stages } from './Stages.tsx'
import { TaskState } from './StateTag.tsx'
import { Targets } from './Targets.tsx'
import { TaskControl } from './TaskControl.tsx'
import { TaskFacts } from './TaskFacts.tsx'
import { upgradePage } from './upgrades.page.ts'
import { upgradeTexts } from './upgrades.texts.ts'
import { goalOf } from './upgrades.words.ts'
import styles from './view.module.css'

const { task: words } = upgradeTexts
/** While devices report, the numbers are read anew at most this often. */
const numbersPauseMs = 2_000

/** One task as it is watched: what is wrong, where, and what can be done; then its failures, its stages and its devices. */
export default function UpgradeTaskView({ id }: { id: string }) {
  const query = useQuery({ ...reading(readUpgradeTask, { id }), retry: false })
  useLiveReading(
    query.refetch,
    (event) => concerns(event, liveUpgradeTasks.noun, id) || concerns(event, liveUpgradeTargets.noun),
    numbersPauseMs,
  )
  const task = query.data
  const back = (
    <PageLink page={upgradePage} className={styles.back}>
      ‹ {words.back}
    </PageLink>
  )
  if (!task) {
    return (
      <section className={styles.page} aria-label={words.back}>
        <header className={styles.head}>
          {back}
          <h1 className="visually-hidden">{words.back}</h1>
        </header>
        {query.error ? (
          <EmptyState
            title={query.error.code === 404 ? words.notFound : texts.list.failed}
            hint={query.error.code === 404 ? undefined : query.error.message}
            action={
              query.error.code !== 404 && (
                <Button onClick={() => void query.refetch()}>{texts.list.retry}</Button>
              )
            }
          />
        ) : (
          <div className={styles.part}>
            <Skeleton active />
          </div>
        )}
      </section>
    )
  }
  return (
    <section className={styles.page} aria-label={goalOf(task)}>
      <header className={styles.head}>
        {back}
        <h1 className={styles.title}>
          {task.equipTypeName} · {goalOf(task)}
        </h1>
        <TaskState state={task.state} />
        <TaskControl task={task} />
      </header>
      {query.error && (
        <p className={styles.failure} role="alert">
          {texts.list.failedSince(query.error.message)}{' '}
          <button type="button" className="link-button" onClick={() => void query.refetch()}>
            {texts.list.retry}
          </button>
        </p>
      )}
      <Attention task={task} />
      <Failures task={task} />
      <Stages task={task} />
      <Targets task={task} />
      <TaskFacts task={task} />
    </section>
  )
}
