// Columns of a task's targets.
import type { UpgradeTargetRow, UpgradeTaskDetail } from '@voltkeep/contract/upgrades'
import type { Column } from '../../../ui/list/DataTable.tsx'
import { operationColumn, textColumn } from '../../../ui/list/plainColumns.tsx'
import { Nothing } from '../../../ui/marks/Nothing.tsx'
import { deviceColumn, reasonColumn, sinceColumn } from '../../../ui/work/deviceColumns.tsx'
import { TargetState } from '../StateTag.tsx'
import { upgradeTexts } from '../upgrades.texts.ts'
import { RetryTarget } from './RetryTarget.tsx'
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
    deviceColumn(fields.code),
    { key: 'result', title: fields.result, width: 148, render: (target) => <TargetResult of={target} /> },
    ...(task.packages.length > 1
      ? [textColumn('partTypeName', fields.partTypes, { key: 'part', maxWidth: 120 })]
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
    reasonColumn(fields.reason, 320),
    textColumn('operatorName', fields.operator, { key: 'operator', maxWidth: 140 }),
    sinceColumn('reportTime', fields.reportTime),
    ...(hasRetry ? [operationColumn(72, (target: UpgradeTargetRow) => <RetryTarget target={target} />)] : []),
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
