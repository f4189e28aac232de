import { useQuery } from '@tanstack/react-query'
import {
  listUpgradeTargets,
  listUpgradeTransitions,
  liveUpgradeTargets,
  retryUpgradeTask,
  type UpgradeTargetRow,
  type UpgradeTaskDetail,
} from '@voltkeep/contract/upgrades'
import { reading } from '../../../lib/wire/reading.ts'
import { DetailSection, Facts } from '../../../ui/detail/DetailPanel.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { DevicePanel, type DevicePanelProps, WorkedDevice } from '../../../ui/work/DevicePanel.tsx'
import { upgradeTexts } from '../upgrades.texts.ts'
import { RetryTarget } from './RetryTarget.tsx'
import { Timeline } from './Timeline.tsx'
import { TargetResult } from './targets.columns.tsx'

const { task: words, fields, rule } = upgradeTexts
const mostSteps = 200

/** One target: its progress, why it failed, and its history. */
export function TargetPanel({
  task,
  ...place
}: { task: UpgradeTaskDetail } & DevicePanelProps<UpgradeTargetRow>) {
  const { id } = place
  const query = useQuery({ ...reading(listUpgradeTargets, { taskId: task.id, ids: [id] }), retry: false })
  const transitions = useQuery(reading(listUpgradeTransitions, { targetId: id, pageSize: mostSteps }))
  const mayRetry = usePermission(retryUpgradeTask.access) && task.state !== 'cancelled'
  return (
    <DevicePanel
      {...place}
      query={query}
      history={transitions}
      noun={liveUpgradeTargets}
      words={{ title: words.timeline, notFound: words.detailNotFound, measure: words.measure }}
      show={(target) => ({
        tags: <TargetResult of={target} />,
        mainAction: mayRetry && <RetryTarget key={id} target={target} />,
        parts: (
          <>
            <DetailSection title={upgradeTexts.view}>
              <Facts
                facts={[
                  [fields.code, <WorkedDevice key="code" row={target} />],
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
          </>
        ),
      })}
    />
  )
}
