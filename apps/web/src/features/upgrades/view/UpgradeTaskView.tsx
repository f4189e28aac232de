import {
  listUpgradeTasks,
  liveUpgradeTargets,
  liveUpgradeTasks,
  readUpgradeTask,
} from '@voltkeep/contract/upgrades'
import { useWalk } from '../../../ui/detail/useWalk.ts'
import { useWatched } from '../../../ui/work/useWatched.ts'
import { WatchPage } from '../../../ui/work/WatchPage.tsx'
import { TaskState } from '../StateTag.tsx'
import { upgradePage, useOpenTask } from '../upgrades.page.ts'
import { upgradeTexts } from '../upgrades.texts.ts'
import { goalOf } from '../upgrades.words.ts'
import { Attention } from './Attention.tsx'
import { Failures } from './Failures.tsx'
import { Stages } from './Stages.tsx'
import { Targets } from './Targets.tsx'
import { TaskControl } from './TaskControl.tsx'
import { TaskFacts } from './TaskFacts.tsx'
import styles from './view.module.css'

const { task: words } = upgradeTexts

/** One task: problems and actions first, then failures, stages and devices. */
export default function UpgradeTaskView({ id }: { id: string }) {
  const query = useWatched(readUpgradeTask, id, liveUpgradeTasks, liveUpgradeTargets)
  const steps = useWalk(listUpgradeTasks, id, useOpenTask(), upgradeTexts.measure)
  return (
    <WatchPage
      of={id}
      page={upgradePage}
      back={words.back}
      steps={steps}
      query={query}
      notFound={words.notFound}
      show={(task) => ({
        title: `${task.equipTypeName} · ${goalOf(task)}`,
        label: goalOf(task),
        tags: <TaskState task={task} />,
        actions: <TaskControl task={task} />,
        parts: (
          <>
            <Attention task={task} />
            <div className={styles.beside}>
              <div>
                <Failures task={task} />
                <Stages task={task} />
                <Targets task={task} />
              </div>
              <div>
                <TaskFacts task={task} />
              </div>
            </div>
          </>
        ),
      })}
    />
  )
}
