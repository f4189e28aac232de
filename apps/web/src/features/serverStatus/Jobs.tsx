import type { ServerInfo } from '@voltkeep/contract/server'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { formatCount } from '../../lib/format.ts'
import { type Column, DataTable } from '../../ui/list/DataTable.tsx'
import { TableBox } from '../../ui/list/TableBox.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import styles from './serverStatus.module.css'
import { serverTexts } from './serverStatus.texts.ts'

const { jobFields: fields, ...words } = serverTexts
type Job = ServerInfo['jobs'][number]

const nameOf = ({ name }: Job) => words.jobNames[name] ?? name

const columns: Column<Job>[] = [
  {
    key: 'name',
    title: fields.name,
    render: (job) => <span title={job.name}>{nameOf(job)}</span>,
  },
  { key: 'state', title: fields.state, width: 90, render: (job) => <Outcome of={job} /> },
  {
    key: 'started',
    title: fields.started,
    width: 226,
    render: ({ lastStartTime }) => <RelativeTime time={lastStartTime} />,
  },
  {
    key: 'duration',
    title: fields.duration,
    width: 96,
    align: 'right',
    render: ({ lastDurationMs }) => (lastDurationMs === null ? <Nothing /> : words.latency(lastDurationMs)),
  },
  {
    key: 'runs',
    title: fields.runs,
    width: 90,
    align: 'right',
    render: ({ runCount }) => formatCount(runCount),
  },
  {
    key: 'failed',
    title: fields.failed,
    width: 72,
    align: 'right',
    render: ({ failedCount }) => formatCount(failedCount),
  },
  {
    key: 'error',
    title: fields.error,
    maxWidth: 420,
    render: ({ lastError, lastFailTime }) =>
      lastError === null ? (
        <Nothing />
      ) : (
        <span title={lastError}>
          {lastFailTime} {lastError}
        </span>
      ),
  },
]

/** The last runs of the periodic jobs. */
export function Jobs({ jobs }: { jobs: readonly Job[] }) {
  const isNarrow = useMedia(narrowQuery)
  if (jobs.length === 0) return <p className={styles.quiet}>{words.noJobs}</p>
  return (
    <TableBox>
      <DataTable
        label={words.jobs}
        columns={columns}
        rows={jobs}
        keyOf={({ name }) => name}
        isNarrow={isNarrow}
        card={(job) => ({
          lead: nameOf(job),
          aside: <Outcome of={job} />,
          second: <RelativeTime time={job.lastStartTime} isShort />,
          action: job.lastDurationMs === null ? undefined : words.latency(job.lastDurationMs),
        })}
      />
    </TableBox>
  )
}

function Outcome({ of: { isOk } }: { of: Job }) {
  return <span className={isOk ? styles.good : styles.bad}>{isOk ? words.jobOk : words.jobFailed}</span>
}
