import {
  attemptResults,
  type BatchLogRow,
  type ParameterBatchDetail,
} from '@voltkeep/contract/parameterBatches'
import { Select } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { narrowQuery, useMedia } from '../../lib/media.ts'
import { texts } from '../../lib/texts/index.ts'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { type Column, DataTable } from '../../ui/list/DataTable.tsx'
import { InlineCodes } from '../../ui/list/InlineCodes.tsx'
import { Pager } from '../../ui/list/Pager.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Nothing } from '../../ui/Nothing.tsx'
import { logOfBatch } from './devices.filters.ts'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'
import { valuesLine } from './parameterBatches.words.ts'
import { AttemptState } from './StateTag.tsx'
import { useLiveLog } from './useLiveLog.ts'

const { batch: words, fields } = batchTexts

const columnsOf = ({ kind }: ParameterBatchDetail): Column<BatchLogRow>[] => [
  {
    key: 'code',
    title: fields.device,
    fixed: 'left',
    render: ({ code, equipId }) => <DeviceCode code={code} id={equipId} />,
  },
  { key: 'attempt', title: fields.attempt, width: 76, render: ({ attempt }) => words.nth(attempt) },
  {
    key: 'result',
    title: fields.result,
    width: 112,
    render: (row) => <AttemptState of={row} />,
  },
  {
    key: 'reason',
    title: fields.reason,
    maxWidth: 280,
    render: ({ reason }) => (reason === null ? <Nothing /> : <span title={reason}>{reason}</span>),
  },
  // Otherwise every device gets the same.
  ...(kind === 'restore'
    ? [
        {
          key: 'values',
          title: fields.values,
          maxWidth: 280,
          render: ({ values }: BatchLogRow) => <span title={valuesLine(values)}>{valuesLine(values)}</span>,
        },
      ]
    : []),
  { key: 'createTime', title: fields.attemptStart, width: 168, render: ({ createTime }) => createTime },
  ...(
    [
      ['sendTime', fields.sendTime],
      ['answerTime', fields.answerTime],
      ['endTime', fields.attemptEnd],
    ] as const
  ).map(([key, title]) => ({
    key,
    title,
    width: 168,
    render: ({ [key]: time }: BatchLogRow) => time ?? <Nothing />,
  })),
]

/** Every attempt at every device of a batch, the newest first. */
export function Log({ batch }: { batch: ParameterBatchDetail }) {
  const isNarrow = useMedia(narrowQuery)
  const list = useList(logOfBatch, { fixed: { id: batch.id } })
  const live = useLiveLog(list as never, batch.id)
  const { results, code } = list.filters
  const apply = (changed: Record<string, unknown>) => list.apply({ ...list.filters, ...changed })
  const isFiltered = results !== undefined || code !== undefined
  return (
    <>
      <div className={styles.filters}>
        <Select
          aria-label={fields.result}
          mode="multiple"
          maxTagCount="responsive"
          className={styles.filter ?? ''}
          placeholder={words.allResults}
          allowClear
          value={[...(results ?? [])]}
          options={attemptResults.map((result) => ({
            value: result,
            label: batchTexts.attemptResults[result],
          }))}
          onChange={(next: string[]) => apply({ results: next.length > 0 ? next : undefined })}
        />
        <InlineCodes className={styles.filter} value={code} onChange={(next) => apply({ code: next })} />
        {isFiltered && (
          <button type="button" className="link-button" onClick={list.reset}>
            {texts.list.clearFilters}
          </button>
        )}
        <span className={styles.quiet}>{texts.list.total(formatCount(list.total))}</span>
        {live.waitingCount > 0 && (
          <button type="button" className="link-button" onClick={live.show}>
            {words.newLog(formatCount(live.waitingCount))}
          </button>
        )}
      </div>
      {list.error ? (
        <EmptyState
          title={texts.list.failed}
          hint={list.error.message}
          action={
            <button type="button" className="button" onClick={list.retry}>
              {texts.list.retry}
            </button>
          }
        />
      ) : (
        <div className={styles.table}>
          <DataTable
            label={words.log}
            columns={columnsOf(batch)}
            rows={live.rows}
            keyOf={({ id }) => id}
            isNarrow={isNarrow}
            card={(row) => ({
              lead: <DeviceCode code={row.code} id={row.equipId} />,
              aside: <AttemptState of={row} />,
              second: row.reason,
              action: (
                <span className={styles.quiet}>
                  {words.nth(row.attempt)} {row.sendTime ?? row.createTime}
                </span>
              ),
            })}
            isDimmed={list.isStale}
            skeletonRows={list.isFirst ? list.pageSize : 0}
            empty={<EmptyState title={isFiltered ? words.logEmptyFiltered : words.logEmpty} />}
          />
        </div>
      )}
      <div className={styles.foot}>
        <Pager list={list as never} isNarrow={isNarrow} />
      </div>
    </>
  )
}
