import { useQuery } from '@tanstack/react-query'
import { listUpgradeTransitions, type UpgradeTaskDetail } from '@voltkeep/contract/upgrades'
import { reading } from '../../../lib/wire/reading.ts'
import { Facts } from '../../../ui/detail/DetailPanel.tsx'
import { openedBeside } from '../../../ui/detail/useWalk.ts'
import { PageLink } from '../../../ui/PageLink.tsx'
import { WatchPart } from '../../../ui/work/WatchPage.tsx'
import { upgradePage } from '../upgrades.page.ts'
import { upgradeTexts } from '../upgrades.texts.ts'
import { Timeline } from './Timeline.tsx'
import { useRefetch } from './useRefetch.ts'

const { task: words, fields } = upgradeTexts

/** A fact of its own only where there is one. */
const said = (name: string, value: string | null | undefined): [string, string][] =>
  value ? [[name, value]] : []

/** The plan of a task, its creator, and the history of the task as a whole. */
export function TaskFacts({ task }: { task: UpgradeTaskDetail }) {
  return (
    <>
      <WatchPart title={words.facts}>
        <Facts
          facts={[
            [fields.type, upgradeTexts.types[task.type]],
            // Begun when it was planned to: one line says both.
            ...(task.upgradeTime === task.startTime
              ? []
              : ([[fields.upgradeTime, task.upgradeTime]] as const)),
            [fields.packages, task.packages.map(({ fileName }) => fileName).join('、')],
            ...said(fields.startTime, task.startTime),
            ...said(fields.finishTime, task.finishTime),
            ...said(fields.endTime, task.upgradeRule.endTime),
            [fields.createBy, task.createBy],
            ...said(fields.approvedBy, task.approvedBy),
            [fields.createTime, task.createTime],
            ...said(fields.remark, task.remark),
            ...(task.rollbackOf === null
              ? []
              : ([
                  [
                    words.rollbackOf,
                    <PageLink
                      key="of"
                      page={upgradePage}
                      search={{ task: task.rollbackOf }}
                      opening={openedBeside('task')}
                    >
                      {upgradeTexts.view}
                    </PageLink>,
                  ],
                ] as const)),
          ]}
        />
      </WatchPart>
      <Process task={task} />
    </>
  )
}

function Process({ task }: { task: UpgradeTaskDetail }) {
  const query = useQuery(reading(listUpgradeTransitions, { taskId: task.id, pageSize: 50 }))
  // Changes with every transition of the task or of a stage, so that the history is read again.
  const state = `${task.state} ${task.stage} ${task.stages.map((stage) => stage.state).join(' ')}`
  useRefetch(query.refetch, state)
  const rows = query.data?.rows ?? []
  if (rows.length === 0) return null
  return (
    <WatchPart title={words.process}>
      <Timeline rows={rows} />
    </WatchPart>
  )
}
