// The tab of past extractions; their files can be opened until they expire.
import {
  downloadExtractedLog,
  type LogExtractionRow,
  listLogExtractions,
  liveLogExtractions,
  logExtractionStates,
  startLogExtraction,
} from '@voltkeep/contract/logExtraction'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { formatBytes } from '../../lib/format.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { useDownload } from '../../lib/wire/download.ts'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { type Opening, openedFrom } from '../../ui/detail/useWalk.ts'
import { CodesFilter } from '../../ui/list/CodesFilter.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, RangeFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn, textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { ExtractionState } from './ExtractionState.tsx'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'

const { fields, states } = logTexts
const livePauseMs = 2_000

export default function ExtractionHistory({
  head,
  onOpen,
  onExtract,
}: {
  head: ReactNode
  onOpen: (id: string, opening: Opening) => void
  /** Opens the form. */
  onExtract: () => void
}) {
  const list = useList(listLogExtractions)
  useLiveReading(list.retry, (event) => concerns(event, liveLogExtractions.noun), livePauseMs)
  const downloading = useDownload(downloadExtractedLog)
  const open = ({ id }: LogExtractionRow) => onOpen(id, openedFrom(list.rows))
  const mayExtract = usePermission(startLogExtraction.access)

  const actions = (row: LogExtractionRow) => (
    <RowActions>
      <RowButton onClick={() => open(row)}>{row.hasFile ? logTexts.open : logTexts.look}</RowButton>
      {row.hasFile && (
        <Permitted code={downloadExtractedLog.access}>
          <Button
            type="link"
            size="small"
            loading={downloading.isPending && downloading.variables.id === row.id}
            onClick={() => downloading.mutate({ id: row.id })}
          >
            {logTexts.download}
          </Button>
        </Permitted>
      )}
    </RowActions>
  )
  const columns: Column<LogExtractionRow>[] = [
    {
      key: 'code',
      title: fields.equipCode,
      width: 160,
      fixed: 'left',
      render: ({ equipCode, equipId }) => <DeviceCode code={equipCode} id={equipId} />,
    },
    textColumn('levelName', fields.level, { key: 'level', maxWidth: 120 }),
    {
      key: 'state',
      title: fields.state,
      maxWidth: 160,
      render: (row) => (
        <span className={styles.stateCell} title={row.reason ?? undefined}>
          <ExtractionState row={row} />
          {row.state === 'failed' && <span className={styles.quiet}>{row.reason}</span>}
        </span>
      ),
    },
    { key: 'size', title: fields.size, width: 80, render: sizeOf },
    {
      key: 'range',
      title: fields.range,
      width: 244,
      render: ({ startTime, endTime }) => (
        <span title={logTexts.from(startTime, endTime)}>
          {logTexts.from(toMinute(startTime), toMinute(endTime))}
        </span>
      ),
    },
    textColumn('createBy', fields.createBy, { maxWidth: 100 }),
    timeColumn('createTime', fields.createTime),
    {
      key: 'kept',
      title: fields.keptUntil,
      width: 100,
      render: ({ keptUntil }) => keptUntil?.slice(0, 10) ?? '—',
    },
    operationColumn(116, actions),
  ]

  return (
    <ListPage
      title={logTexts.history}
      measure={logTexts.measure}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      head={head}
      filters={(draft) => (
        <>
          <CodesFilter of={draft} label={fields.equipCode} />
          <ChoiceFilter
            of={draft}
            name="states"
            label={fields.state}
            isMultiple
            options={choicesOf(logExtractionStates, states)}
          />
          <TextFilter of={draft} name="createBy" label={fields.createBy} />
          <RangeFilter of={draft} label={fields.createTime} />
        </>
      )}
      card={(row) => ({
        lead: (
          <>
            <span className="mono">{row.equipCode}</span> · {row.levelName}
          </>
        ),
        aside: <ExtractionState row={row} />,
        second: `${toMinute(row.createTime)} · ${row.createBy}`,
        action: actions(row),
      })}
      onOpen={open}
      empty={{
        title: logTexts.none,
        hint: mayExtract ? logTexts.noneHint : undefined,
        action: mayExtract && <Button onClick={onExtract}>{logTexts.extract}</Button>,
      }}
      emptyFiltered={logTexts.emptyFiltered}
    />
  )
}

/** Ranges are chosen to the minute. */
const toMinute = (time: string) => time.slice(0, 'YYYY-MM-DD HH:mm'.length)

function sizeOf({ sizeBytes, state, receivedBytes }: LogExtractionRow): string {
  if (state === 'uploading') return formatBytes(receivedBytes)
  return state === 'done' && sizeBytes !== null ? formatBytes(sizeBytes) : '—'
}
