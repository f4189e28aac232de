// The log of a batch: all attempts at all devices, the newest first.
import {
  attemptResults,
  type BatchLogRow,
  type ParameterBatchDetail,
} from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import { useMemo } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { choicesOf } from '../../../ui/choices/choicesOf.ts'
import { DeviceCode } from '../../../ui/DeviceCode.tsx'
import type { Column } from '../../../ui/list/DataTable.tsx'
import { InlineCodes } from '../../../ui/list/InlineCodes.tsx'
import { InlineList, InlineSelect } from '../../../ui/list/InlineList.tsx'
import { timeColumn } from '../../../ui/list/plainColumns.tsx'
import { useInlineList } from '../../../ui/list/useInlineList.ts'
import { Nothing } from '../../../ui/marks/Nothing.tsx'
import { reasonColumn } from '../../../ui/work/deviceColumns.tsx'
import styles from '../parameterBatches.module.css'
import { batchTexts } from '../parameterBatches.texts.ts'
import { valuesLine } from '../parameterBatches.words.ts'
import { AttemptState } from '../StateTag.tsx'
import { logOfBatch } from './devices.filters.ts'
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
  reasonColumn(fields.reason, 280, namedReason),
  // Only a restoration has different values per device.
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
  timeColumn('createTime', fields.attemptStart),
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

export function Log({ batch }: { batch: ParameterBatchDetail }) {
  const owner = useMemo(() => ({ id: batch.id }), [batch.id])
  const source = useInlineList(logOfBatch, owner)
  const live = useLiveLog(source.list as never, batch.id)
  const { isFiltered, narrow } = source
  const { results, code } = source.filters
  return (
    <InlineList
      source={source}
      news={
        live.waitingCount > 0
          ? { text: words.newLog(formatCount(live.waitingCount)), onShow: live.show }
          : undefined
      }
      label={words.log}
      measure={batchTexts.logMeasure}
      columns={columnsOf(batch)}
      rows={live.rows}
      card={(row) => ({
        lead: <DeviceCode code={row.code} id={row.equipId} />,
        aside: <AttemptState of={row} />,
        second: row.reason && namedReason(row.reason),
        // Without year and seconds, to leave room for the reason on a phone.
        action: (
          <span className={styles.quiet}>
            {words.nth(row.attempt)} · {(row.sendTime ?? row.createTime).slice(5, 16)}
          </span>
        ),
      })}
      empty={isFiltered ? words.logEmptyFiltered : words.logEmpty}
    >
      <InlineSelect
        label={fields.result}
        mode="multiple"
        placeholder={words.allResults}
        value={[...(results ?? [])]}
        options={choicesOf(attemptResults, batchTexts.attemptResults)}
        onChange={(next) => narrow({ results: next.length > 0 ? next : undefined })}
      />
      <InlineCodes value={code} onChange={(next) => narrow({ code: next })} />
    </InlineList>
  )
}
