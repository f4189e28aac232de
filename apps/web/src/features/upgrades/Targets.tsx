// The targets of a task: each device and part, with its state, in a list of its own that is filtered and stepped through.
import {
  liveUpgradeTargets,
  retryUpgradeTask,
  type UpgradeTargetRow,
  type UpgradeTaskDetail,
  upgradeTargetStates,
} from '@voltkeep/contract/upgrades'
import { useEffect, useMemo, useRef } from 'react'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { InlineCodes } from '../../ui/list/InlineCodes.tsx'
import { InlineChip, InlineList, InlineSelect } from '../../ui/list/InlineList.tsx'
import { useInlineList, useInlineLive } from '../../ui/list/useInlineList.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import { WatchPart } from '../../ui/WatchPage.tsx'
import { TargetPanel } from './TargetPanel.tsx'
import { TargetResult, targetColumns } from './targets.columns.tsx'
import { targetsOfTask } from './targets.filters.ts'
import { upgradeTexts } from './upgrades.texts.ts'
import { sharesOf } from './upgrades.words.ts'

const { task: words, fields } = upgradeTexts

const live = {
  isChanged: (before: UpgradeTargetRow, after: UpgradeTargetRow) => before.result !== after.result,
}

/** The targets of a task, page by page; live updates change states and percentages in place. */
export function Targets({ task }: { task: UpgradeTaskDetail }) {
  const owner = useMemo(() => ({ taskId: task.id }), [task.id])
  const source = useInlineList(targetsOfTask, owner)
  const { rows, changedKeys, isStale, show } = useInlineLive(source.list, owner, liveUpgradeTargets, live)
  const row = useOpenRow()
  const mayRetry = usePermission(retryUpgradeTask.access) && task.state !== 'cancelled'
  const part = useRef<HTMLElement>(null)
  const { narrow } = source
  // Scrolls to this list after a reason above was pressed, which filters it.
  const { reason, states, stage, code } = source.filters
  const wasReason = useRef(reason)
  useEffect(() => {
    if (reason !== undefined && reason !== wasReason.current) part.current?.scrollIntoView({ block: 'start' })
    wasReason.current = reason
  }, [reason])
  const { total } = source.paging

  if (task.state === 'planned' && total === 0) return null
  return (
    <WatchPart ref={part} title={words.targets}>
      <InlineList
        source={source}
        news={isStale ? { text: upgradeTexts.stale, onShow: show } : undefined}
        label={words.targets}
        measure={words.measure}
        columns={targetColumns({ task, hasRetry: mayRetry && sharesOf(task.counts).failed > 0 })}
        rows={rows}
        card={(target) => ({
          lead: <span className="mono">{target.code}</span>,
          aside: <TargetResult of={target} />,
          second:
            target.reason ?? `${target.partTypeName} ${words.fromTo(target.fromVersion, target.version)}`,
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        changedKeys={changedKeys}
        expected={task.counts.total}
        empty={total === 0 && task.counts.total === 0 ? words.noTargets : words.noTargetsFiltered}
      >
        <InlineSelect
          label={fields.result}
          mode="multiple"
          placeholder={words.allStates}
          value={[...(states ?? [])]}
          options={upgradeTargetStates.map((state) => ({
            value: state,
            label: upgradeTexts.targetStates[state],
          }))}
          onChange={(next) => narrow({ states: next.length > 0 ? next : undefined, reason: undefined })}
        />
        {task.stageCount > 1 && (
          <InlineSelect
            label={fields.stage}
            placeholder={words.allStages}
            value={stage ?? null}
            options={task.stages.map(({ stage: number }) => ({
              value: number,
              label: upgradeTexts.rule.stage(number),
            }))}
            onChange={(next) => narrow({ stage: next ?? undefined })}
          />
        )}
        <InlineCodes value={code} onChange={(next) => narrow({ code: next })} />
        {reason !== undefined && (
          <InlineChip onDrop={() => narrow({ reason: undefined })}>{reason}</InlineChip>
        )}
      </InlineList>
      {row.id && (
        <TargetPanel
          id={row.id}
          task={task}
          rows={rows}
          onOpen={({ id }) => row.open(id)}
          onClose={row.close}
        />
      )}
    </WatchPart>
  )
}
