import {
  liveUpgradeTargets,
  retryUpgradeTask,
  type UpgradeTargetRow,
  type UpgradeTaskDetail,
  upgradeTargetStates,
} from '@voltkeep/contract/upgrades'
import { Select } from 'antd'
import { useEffect, useMemo, useRef } from 'react'
import { formatCount } from '../../lib/format.ts'
import { narrowQuery, useMedia } from '../../lib/media.ts'
import { texts } from '../../lib/texts/index.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { DataTable } from '../../ui/list/DataTable.tsx'
import { InlineCodes } from '../../ui/list/InlineCodes.tsx'
import { Pager } from '../../ui/list/Pager.tsx'
import { useList } from '../../ui/list/useList.ts'
import { type LiveListOptions, useLiveList } from '../../ui/list/useLiveList.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import { useOpenRow } from '../../ui/useOpenRow.ts'
import { TargetPanel } from './TargetPanel.tsx'
import { TargetResult, targetColumns } from './targets.columns.tsx'
import { targetsOfTask } from './targets.filters.ts'
import { upgradeTexts } from './upgrades.texts.ts'
import { sharesOf } from './upgrades.words.ts'
import styles from './view.module.css'

const { task: words, fields } = upgradeTexts

/** The devices of a task, a page at a time; states and percents change in place. */
export function Targets({ task }: { task: UpgradeTaskDetail }) {
  const isNarrow = useMedia(narrowQuery)
  const read = useList(targetsOfTask, { fixed: { taskId: task.id } })
  // The live stream asks for rows by the filters, and a row belongs to its task.
  const filters = useMemo(() => ({ ...read.filters, taskId: task.id }), [read.filters, task.id])
  const list = { ...read, filters }
  const options = useMemo<LiveListOptions<UpgradeTargetRow>>(
    () => ({
      anyState: { taskId: task.id },
      isChanged: (before, after) => before.result !== after.result,
    }),
    [task.id],
  )
  const live = useLiveList(list as never, liveUpgradeTargets, options) as ReturnType<
    typeof useLiveList<never, UpgradeTargetRow>
  >
  const row = useOpenRow()
  const mayRetry = usePermission(retryUpgradeTask.access) && task.state !== 'cancelled'
  const heading = useRef<HTMLHeadingElement>(null)
  // A reason that was pressed further up shows its devices here.
  const { reason, states, stage, code } = read.filters
  const wasReason = useRef(reason)
  useEffect(() => {
    if (reason !== undefined && reason !== wasReason.current)
      heading.current?.scrollIntoView({ block: 'start' })
    wasReason.current = reason
  }, [reason])
  const apply = (changed: Record<string, unknown>) => read.apply({ ...read.filters, ...changed })

  if (task.state === 'planned' && read.total === 0) return null
  return (
    <section className={styles.part} aria-label={words.targets}>
      <h2 ref={heading} className={styles.partTitle}>
        {words.targets}
        <span className={styles.quiet}>{texts.list.total(formatCount(read.total))}</span>
        {live.isStale && (
          <button type="button" className="link-button" onClick={live.show}>
            {upgradeTexts.stale}
          </button>
        )}
      </h2>
      <div className={styles.filters}>
        <Select
          aria-label={fields.result}
          mode="multiple"
          maxTagCount="responsive"
          className={styles.filter ?? ''}
          placeholder={words.allStates}
          allowClear
          value={[...(states ?? [])]}
          options={upgradeTargetStates.map((state) => ({
            value: state,
            label: upgradeTexts.targetStates[state],
          }))}
          onChange={(next: string[]) =>
            apply({ states: next.length > 0 ? next : undefined, reason: undefined })
          }
        />
        {task.stageCount > 1 && (
          <Select
            aria-label={fields.stage}
            className={styles.filter ?? ''}
            placeholder={words.allStages}
            allowClear
            value={stage ?? null}
            options={task.stages.map(({ stage: number }) => ({
              value: number,
              label: upgradeTexts.rule.stage(number),
            }))}
            onChange={(next: number | null | undefined) => apply({ stage: next ?? undefined })}
          />
        )}
        <InlineCodes className={styles.filter} value={code} onChange={(next) => apply({ code: next })} />
        {reason !== undefined && (
          <button type="button" className={styles.chip} onClick={() => apply({ reason: undefined })}>
            {reason} <span aria-hidden="true">×</span>
          </button>
        )}
        {(states || stage !== undefined || code || reason !== undefined) && (
          <button type="button" className="link-button" onClick={read.reset}>
            {texts.list.clearFilters}
          </button>
        )}
      </div>
      {read.error ? (
        <EmptyState
          title={texts.list.failed}
          hint={read.error.message}
          action={
            <button type="button" className="button" onClick={read.retry}>
              {texts.list.retry}
            </button>
          }
        />
      ) : (
        <div className={styles.targets}>
          <DataTable
            label={words.targets}
            columns={targetColumns({ task, hasRetry: mayRetry && sharesOf(task.counts).failed > 0 })}
            rows={live.rows}
            keyOf={({ id }) => id}
            isNarrow={isNarrow}
            card={(target) => ({
              lead: <span className="mono">{target.code}</span>,
              aside: <TargetResult of={target} />,
              second:
                target.reason ?? `${target.partTypeName} ${words.fromTo(target.fromVersion, target.version)}`,
            })}
            onOpen={({ id }) => row.open(id)}
            openKey={row.id}
            changedKeys={live.changedKeys}
            isDimmed={read.isStale}
            skeletonRows={read.isFirst ? read.pageSize : 0}
            empty={
              <EmptyState
                title={
                  read.total === 0 && task.counts.total === 0 ? words.noTargets : words.noTargetsFiltered
                }
              />
            }
          />
        </div>
      )}
      <div className={styles.foot}>
        <Pager list={read as never} isNarrow={isNarrow} />
      </div>
      {row.id && <TargetPanel key={row.id} id={row.id} task={task} onClose={row.close} />}
    </section>
  )
}
