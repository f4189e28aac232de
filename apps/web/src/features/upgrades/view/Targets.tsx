import {
  liveUpgradeTargets,
  retryUpgradeTask,
  type UpgradeTargetRow,
  type UpgradeTaskDetail,
  upgradeTargetStates,
} from '@voltkeep/contract/upgrades'
import { useEffect, useMemo, useRef } from 'react'
import { InlineSelect } from '../../../ui/list/InlineList.tsx'
import { useInlineList, useInlineLive } from '../../../ui/list/useInlineList.ts'
import { usePermission } from '../../../ui/Permitted.tsx'
import { WatchPart } from '../../../ui/work/WatchPage.tsx'
import { WorkDevices } from '../../../ui/work/WorkDevices.tsx'
import { upgradeTexts } from '../upgrades.texts.ts'
import { sharesOf } from '../upgrades.words.ts'
import { TargetPanel } from './TargetPanel.tsx'
import { TargetResult, targetColumns } from './targets.columns.tsx'
import { targetsOfTask } from './targets.filters.ts'

const { task: words, fields } = upgradeTexts

const liveOptions = {
  isChanged: (before: UpgradeTargetRow, after: UpgradeTargetRow) => before.result !== after.result,
}
const states = { label: fields.result, order: upgradeTargetStates, words: upgradeTexts.targetStates }

/** The targets of a task: each device and part, with its state. */
export function Targets({ task }: { task: UpgradeTaskDetail }) {
  const owner = useMemo(() => ({ taskId: task.id }), [task.id])
  const source = useInlineList(targetsOfTask, owner)
  const live = useInlineLive(source.list, owner, liveUpgradeTargets, liveOptions)
  const mayRetry = usePermission(retryUpgradeTask.access) && task.state !== 'cancelled'
  const part = useRef<HTMLElement>(null)
  // Scrolls to this list after a reason above was pressed, which filters it.
  const { reason, stage } = source.filters
  const wasReason = useRef(reason)
  useEffect(() => {
    if (reason !== undefined && reason !== wasReason.current) part.current?.scrollIntoView({ block: 'start' })
    wasReason.current = reason
  }, [reason])
  const { total } = source.paging

  if (task.state === 'planned' && total === 0) return null
  return (
    <WatchPart ref={part} title={words.targets}>
      <WorkDevices
        source={source}
        live={live}
        states={states}
        label={words.targets}
        measure={words.measure}
        columns={targetColumns({ task, hasRetry: mayRetry && sharesOf(task.counts).failed > 0 })}
        markOf={(target) => <TargetResult of={target} />}
        secondOf={({ reason: why, partTypeName, fromVersion, version }) =>
          why ?? `${partTypeName} ${words.fromTo(fromVersion, version)}`
        }
        expected={task.counts.total}
        empty={total === 0 && task.counts.total === 0 ? words.noTargets : words.noTargetsFiltered}
        panel={(place) => <TargetPanel {...place} task={task} />}
      >
        {task.stageCount > 1 && (
          <InlineSelect
            label={fields.stage}
            placeholder={words.allStages}
            value={stage ?? null}
            options={task.stages.map(({ stage: number }) => ({
              value: number,
              label: upgradeTexts.rule.stage(number),
            }))}
            onChange={(next) => source.narrow({ stage: next ?? undefined })}
          />
        )}
      </WorkDevices>
    </WatchPart>
  )
}
