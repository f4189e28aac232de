// 可用率: how much of the time devices worked, how often they failed, and how long that lasted.
import {
  type AvailabilityGroup,
  type AvailabilityRow,
  availabilityGroupNames,
  exportAvailability,
  type AvailabilityReport as Report,
  readAvailability,
} from '@voltkeep/contract/reports'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { formatCount, formatDuration } from '../../lib/format.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { Figures, Part, ReportFrame } from './ReportFrame.tsx'
import { availabilityText, between } from './reports.format.ts'
import styles from './reports.module.css'
import { reportTexts } from './reports.texts.ts'
import { SubscribeButton } from './SubscribeButton.tsx'
import { useReport } from './useReport.ts'

const words = reportTexts.availability

export default function AvailabilityReport({ head }: { head: ReactNode }) {
  const { report, frame, filters, places, turn } = useReport(readAvailability)
  const { pageNum, pageSize } = filters as { pageNum: number; pageSize: number }
  return (
    <ReportFrame
      {...frame}
      title={reportTexts.tabs.availability}
      head={head}
      actions={
        <>
          <SubscribeButton kind="availability" groupBy={frame.group} places={places} />
          <ExportButton endpoint={exportAvailability} filters={filters} />
        </>
      }
      groups={availabilityGroupNames}
    >
      {report && (
        <Content
          report={report}
          groupBy={frame.group}
          first={(pageNum - 1) * pageSize}
          onTurn={(step) => turn(pageNum + step)}
        />
      )}
    </ReportFrame>
  )
}

function Content({
  report,
  groupBy,
  first,
  onTurn,
}: {
  report: Report
  groupBy: AvailabilityGroup
  first: number
  onTurn: (step: 1 | -1) => void
}) {
  if (report.total.deviceCount === 0) return <EmptyState title={words.none} hint={words.noneHint} />
  const last = first + report.rows.length
  return (
    <Part title={availabilityGroupNames[groupBy]} hint={words.hint}>
      <Figures
        heads={[
          reportTexts.groupTitles[groupBy],
          ...(groupBy === 'device' ? [] : [words.devices]),
          words.title,
          words.up,
          words.down,
          words.planned,
          words.unknown,
          words.failures,
          words.between,
          <span key="recover" title={words.medianHint}>
            {words.recover}
          </span>,
          <span key="ack" title={words.medianHint}>
            {words.ack}
          </span>,
        ]}
      >
        <Row name={words.total} times={report.total} groupBy={groupBy} />
        {report.rows.map((row) => (
          <Row
            key={row.id}
            name={
              groupBy === 'device' ? (
                <PageLink page="equipment/list" search={{ open: row.id }}>
                  {row.name}
                </PageLink>
              ) : (
                row.name
              )
            }
            times={row}
            groupBy={groupBy}
          />
        ))}
      </Figures>
      {(first > 0 || last < report.rowCount) && (
        <p className={styles.turning}>
          <Button disabled={first === 0} onClick={() => onTurn(-1)}>
            {words.previous}
          </Button>
          {words.page(formatCount(first + 1), formatCount(last), formatCount(report.rowCount))}
          <Button disabled={last >= report.rowCount} onClick={() => onTurn(1)}>
            {words.next}
          </Button>
        </p>
      )}
    </Part>
  )
}

const lasting = (seconds: number) => (seconds === 0 ? '0' : formatDuration(seconds * 1000))

function Row({
  name,
  times,
  groupBy,
}: {
  name: ReactNode
  times: Omit<AvailabilityRow, 'id' | 'name'>
  groupBy: AvailabilityGroup
}) {
  const both = (median: number | null, p90: number | null) =>
    median === null || p90 === null ? '—' : words.medianAndP90(lasting(median), lasting(p90))
  return (
    <tr>
      <th scope="row">{name}</th>
      {groupBy !== 'device' && <td>{formatCount(times.deviceCount)}</td>}
      <td>{availabilityText(times.availability)}</td>
      <td>{lasting(times.upSeconds)}</td>
      <td>{lasting(times.downSeconds)}</td>
      <td>{lasting(times.plannedSeconds)}</td>
      <td>{lasting(times.unknownSeconds)}</td>
      <td>{formatCount(times.failureCount)}</td>
      <td>{between(times.daysBetween)}</td>
      <td>{both(times.recoverMedian, times.recoverP90)}</td>
      <td>{both(times.ackMedian, times.ackP90)}</td>
    </tr>
  )
}
