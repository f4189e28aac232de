import { useQuery } from '@tanstack/react-query'
import {
  listUpgradeTasks,
  liveUpgradeTargets,
  liveUpgradeTasks,
  readUpgradeTask,
} from '@voltkeep/contract/upgrades'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useWalk } from '../../ui/detail/useWalk.ts'
import { WatchPage } from '../../ui/WatchPage.tsx'
import { Attention } from './Attention.tsx'
import { Failures } from './Failures.tsx'
import { Stages } from './Stages.tsx'
import { TaskState } from './StateTag.tsx'
import { Targets } from './Targets.tsx'
import { TaskControl } from './TaskControl.tsx'
import { TaskFacts } from './TaskFacts.tsx'
import { upgradePage, useOpenTask } from './upgrades.page.ts'
import { upgradeTexts } from './upgrades.texts.ts'
import { goalOf } from './upgrades.words.ts'

const { task: words } = upgradeTexts
/** While devices report, the counts are read at most this often. */
const numbersPauseMs = 2_000

/** One task: problems and actions first, then failures, stages and devices. */
export default function UpgradeTaskView({ id }: { id: string }) {
  const query = useQuery({ ...reading(readUpgradeTask, { id }), retry: false, meta: { isQuiet: true } })
  useLiveReading(
    query.refetch,
    (event) => concerns(event, liveUpgradeTasks.noun, id) || concerns(event, liveUpgradeTargets.noun),
    numbersPauseMs,
  )
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
            <Failures task={task} />
            <Stages task={task} />
            <Targets task={task} />
            <TaskFacts task={task} />
          </>
        ),
      })}
    />
  )
}
