import { useQuery } from '@tanstack/react-query'
import {
  listUpgradeTargets,
  listUpgradeTransitions,
  liveUpgradeTargets,
  retryUpgradeTask,
  type UpgradeTargetRow,
  type UpgradeTaskDetail,
} from '@voltkeep/contract/upgrades'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { reading } from '../../lib/wire/reading.ts'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { UnreadPanel } from '../../ui/detail/UnreadPanel.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { RetryTarget } from './RetryTarget.tsx'
import { Timeline } from './Timeline.tsx'
import { TargetResult } from './targets.columns.tsx'
import { upgradeTexts } from './upgrades.texts.ts'

const { task: words, fields, rule } = upgradeTexts
const mostSteps = 200

/** One target: its progress, why it failed, and its history. */
export function TargetPanel({
  id,
  task,
  rows,
  onOpen,
  onClose,
}: {
  id: string
  task: UpgradeTaskDetail
  /**
   * The rows of the list beside the panel: its steps go through them, and the open one is shown until the answer
   * arrives.
   */
  rows: readonly UpgradeTargetRow[]
  onOpen: (target: UpgradeTargetRow) => void
  onClose: () => void
}) {
  const query = useQuery({ ...reading(listUpgradeTargets, { taskId: task.id, ids: [id] }), retry: false })
  const transitions = useQuery(reading(listUpgradeTransitions, { targetId: id, pageSize: mostSteps }))
  const mayRetry = usePermission(retryUpgradeTask.access) && task.state !== 'cancelled'
  useLiveReading(
    () => Promise.all([query.refetch(), transitions.refetch()]),
    (event) => concerns(event, liveUpgradeTargets.noun, id),
  )
  const target = [...(query.data?.rows ?? []), ...rows].find((row) => row.id === id)
  if (!target) {
    return (
      <UnreadPanel title={words.timeline} notFound={words.detailNotFound} query={query} onClose={onClose} />
    )
  }
  return (
    <DetailPanel
      title={<span className="mono">{target.code}</span>}
      tags={<TargetResult of={target} />}
      mainAction={mayRetry && <RetryTarget key={id} target={target} />}
      steps={stepsFrom(rows, id, onOpen, words.measure)}
      of={id}
      onClose={onClose}
    >
      <DetailSection title={upgradeTexts.view}>
        <Facts
          facts={[
            [
              fields.code,
              <DeviceCode
                key="code"
                code={target.code}
                id={target.equipId}
                isOnline={target.isOnline ?? 0}
              />,
            ],
            [fields.partTypes, target.partTypeName],
            [fields.change, words.fromTo(target.fromVersion, target.version)],
            [fields.stage, target.stage === 0 ? null : rule.stage(target.stage)],
            [fields.reason, target.reason],
            [fields.attempts, target.attempts],
            [fields.nextTime, target.nextTime],
            [fields.startTime, target.startTime],
            [fields.verifiedTime, target.verifiedTime],
            [fields.operator, target.operatorName],
            [fields.region, target.regionName],
          ]}
        />
      </DetailSection>
      <DetailSection title={words.timeline}>
        <Timeline rows={(!transitions.isPlaceholderData && transitions.data?.rows) || []} />
      </DetailSection>
    </DetailPanel>
  )
}
