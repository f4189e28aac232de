// Columns of a task's targets.
import type { UpgradeTargetRow, UpgradeTaskDetail } from '@voltkeep/contract/upgrades'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { RetryTarget } from './RetryTarget.tsx'
import { TargetState } from './StateTag.tsx'
import { upgradeTexts } from './upgrades.texts.ts'
import styles from './view.module.css'

const { task: words, fields, rule } = upgradeTexts

export function targetColumns({
  task,
  hasRetry,
}: {
  task: UpgradeTaskDetail
  hasRetry: boolean
}): Column<UpgradeTargetRow>[] {
  return [
    {
      key: 'code',
      title: fields.code,
      fixed: 'left',
      render: ({ code, equipId, isOnline }) => (
        <DeviceCode code={code} id={equipId} isOnline={isOnline ?? 0} />
      ),
    },
    { key: 'result', title: fields.result, width: 148, render: (target) => <TargetResult of={target} /> },
    ...(task.packages.length > 1
      ? [
          {
            key: 'part',
            title: fields.partTypes,
            maxWidth: 120,
            render: ({ partTypeName }: UpgradeTargetRow) => partTypeName,
          },
        ]
      : []),
    {
      key: 'change',
      title: fields.change,
      maxWidth: 180,
      render: ({ fromVersion, version }) => (
        <span className="mono" title={words.fromTo(fromVersion, version)}>
          {words.fromTo(fromVersion, version)}
        </span>
      ),
    },
    ...(task.stageCount > 1
      ? [
          {
            key: 'stage',
            title: fields.stage,
            width: 84,
            render: ({ stage }: UpgradeTargetRow) => (stage === 0 ? <Nothing /> : rule.stage(stage)),
          },
        ]
      : []),
    {
      key: 'reason',
      title: fields.reason,
      maxWidth: 320,
      render: ({ reason }) => (reason === null ? <Nothing /> : <span title={reason}>{reason}</span>),
    },
    {
      key: 'operator',
      title: fields.operator,
      maxWidth: 140,
      render: ({ operatorName }) => <span title={operatorName}>{operatorName}</span>,
    },
    {
      key: 'reportTime',
      title: fields.reportTime,
      width: 96,
      render: ({ reportTime }) => <RelativeTime time={reportTime} isShort />,
    },
    ...(hasRetry
      ? [
          {
            key: 'operation',
            title: upgradeTexts.operation,
            width: 72,
            fixed: 'right' as const,
            render: (target: UpgradeTargetRow) => <RetryTarget target={target} />,
          },
        ]
      : []),
  ]
}

/** The state, with the percentage of the download or installation. */
export function TargetResult({ of: { result, percent, isClaimed } }: { of: UpgradeTargetRow }) {
  const isUnderWay = result === 'downloading' || result === 'installing'
  return (
    <span className={styles.result}>
      <TargetState state={result} />
      {isUnderWay && isClaimed ? (
        <span className={styles.quiet} title={words.verifying}>
          {words.verifyingShort}
        </span>
      ) : (
        isUnderWay &&
        percent !== null && (
          <>
            <progress max={100} value={percent} aria-label={upgradeTexts.targetStates[result]} />
            <span>{words.percent(percent)}</span>
          </>
        )
      )}
    </span>
  )
}
