import { useQuery } from '@tanstack/react-query'
import {
  listUpgradeTargets,
  listUpgradeTransitions,
  liveUpgradeTargets,
  retryUpgradeTask,
  type UpgradeTaskDetail,
} from '@voltkeep/contract/upgrades'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { reading } from '../../lib/wire/reading.ts'
import { DetailPanel, DetailSection, Facts } from '../../ui/DetailPanel.tsx'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { UnreadPanel } from '../../ui/UnreadPanel.tsx'
import { RetryTarget } from './RetryTarget.tsx'
import { Timeline } from './Timeline.tsx'
import { TargetResult } from './targets.columns.tsx'
import { upgradeTexts } from './upgrades.texts.ts'

const { task: words, fields, rule } = upgradeTexts
const mostSteps = 200

/** One part of one device: how far it is, why it failed, and everything that happened to it. */
export function TargetPanel({
  id,
  task,
  onClose,
}: {
  id: string
  task: UpgradeTaskDetail
  onClose: () => void
}) {
  const query = useQuery({ ...reading(listUpgradeTargets, { taskId: task.id, ids: [id] }), retry: false })
  const steps = useQuery(reading(listUpgradeTransitions, { targetId: id, pageSize: mostSteps }))
  const mayRetry = usePermission(retryUpgradeTask.access) && task.state !== 'cancelled'
  useLiveReading(
    () => Promise.all([query.refetch(), steps.refetch()]),
    (event) => concerns(event, liveUpgradeTargets.noun, id),
  )
  const target = query.data?.rows[0]
  if (!target) {
    return (
      <UnreadPanel title={words.timeline} notFound={words.detailNotFound} query={query} onClose={onClose} />
    )
  }
  return (
    <DetailPanel
      title={<span className="mono">{target.code}</span>}
      tags={<TargetResult of={target} />}
      mainAction={mayRetry && <RetryTarget target={target} />}
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
        <Timeline rows={steps.data?.rows ?? []} />
      </DetailSection>
    </DetailPanel>
  )
}
