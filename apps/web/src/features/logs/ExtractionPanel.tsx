// The panel 日志信息: the progress of an extraction, then its text.
import { DownloadOutlined, MenuFoldOutlined, MenuUnfoldOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import {
  cancelLogExtraction,
  downloadExtractedLog,
  type LogExtractionRow,
  listLogExtractions,
  liveLogExtractions,
  startLogExtraction,
} from '@voltkeep/contract/logExtraction'
import { Button, Skeleton } from 'antd'
import { Fragment, lazy, Suspense } from 'react'
import { formatBytes } from '../../lib/format.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { texts } from '../../lib/texts/index.ts'
import { useDownload } from '../../lib/wire/download.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { StepButtons, useStepKeys } from '../../ui/detail/steps.tsx'
import { type Opening, useWalk } from '../../ui/detail/useWalk.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { ExtractionProgress } from './ExtractionProgress.tsx'
import { ExtractionState } from './ExtractionState.tsx'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'
import { RecentExtractions } from './RecentExtractions.tsx'

const LogContents = lazy(() => import('./LogContents.tsx'))

/** While bytes arrive, the progress is read at most this often. */
const progressPauseMs = 500

interface PanelProps {
  id: string | undefined
  isFormOpen: boolean
  onToggleForm: () => void
  onOpen: (id: string, opening?: Opening) => void
}

export function ExtractionPanel({ id, isFormOpen, onToggleForm, onOpen }: PanelProps) {
  return (
    <section className={styles.panel} aria-label={logTexts.panel}>
      {id === undefined ? (
        <RecentExtractions onOpen={onOpen} />
      ) : (
        <OneExtraction id={id} isFormOpen={isFormOpen} onToggleForm={onToggleForm} onOpen={onOpen} />
      )}
    </section>
  )
}

function OneExtraction({ id, isFormOpen, onToggleForm, onOpen }: PanelProps & { id: string }) {
  const query = useQuery({
    ...reading(listLogExtractions, { ids: [id] }),
    retry: false,
    meta: { isQuiet: 'first' },
  })
  useLiveReading(query.refetch, (event) => concerns(event, liveLogExtractions.noun, id), progressPauseMs)
  const mayRead = usePermission(downloadExtractedLog.access)
  const mayExtract = usePermission(startLogExtraction.access)
  const downloading = useDownload(downloadExtractedLog)
  const steps = useWalk(listLogExtractions, id, onOpen, logTexts.measure)
  useStepKeys(steps)
  const row = query.data?.rows.find((one) => one.id === id)
  return (
    <>
      <header className={styles.panelHead}>
        {mayExtract && (
          <Button
            size="small"
            type="text"
            icon={isFormOpen ? <MenuFoldOutlined /> : <MenuUnfoldOutlined />}
            aria-expanded={isFormOpen}
            onClick={onToggleForm}
          >
            {isFormOpen ? logTexts.hideForm : logTexts.showForm}
          </Button>
        )}
        {row && (
          <>
            <h2 className={styles.panelTitle}>
              <DeviceCode code={row.equipCode} id={row.equipId} /> {row.levelName}
            </h2>
            <ExtractionState row={row} />
            <span className={styles.quiet}>{logTexts.from(row.startTime, row.endTime)}</span>
          </>
        )}
        <span className={styles.panelSteps}>
          <StepButtons steps={steps} />
        </span>
      </header>
      <Fragment key={id}>
        {row ? (
          row.hasFile && mayRead ? (
            <Suspense fallback={<Skeleton active />}>
              <LogContents
                extraction={row}
                actions={
                  <Button
                    size="small"
                    icon={<DownloadOutlined />}
                    loading={downloading.isPending}
                    onClick={() => downloading.mutate({ id })}
                  >
                    {logTexts.download}
                    {row.sizeBytes !== null && ` ${formatBytes(row.sizeBytes)}`}
                  </Button>
                }
              />
            </Suspense>
          ) : (
            <Outcome row={row} mayRead={mayRead} onOpen={onOpen} />
          )
        ) : query.isPending || query.isPlaceholderData ? (
          <Skeleton active />
        ) : (
          <EmptyState
            title={query.error ? texts.list.failed : logTexts.notFound}
            hint={query.error?.message}
            action={query.error && <Button onClick={() => void query.refetch()}>{texts.list.retry}</Button>}
          />
        )}
      </Fragment>
    </>
  )
}

/** The result of an extraction that has no text. */
function Outcome({
  row,
  mayRead,
  onOpen,
}: {
  row: LogExtractionRow
  mayRead: boolean
  onOpen: (id: string) => void
}) {
  const cancelling = useWriting(cancelLogExtraction, [listLogExtractions])
  const starting = useWriting(startLogExtraction, [listLogExtractions])
  if (row.hasFile && !mayRead) return <EmptyState title={logTexts.mayNotRead} />
  if (row.state === 'done' || row.state === 'failed' || row.state === 'cancelled') {
    const { equipCode, equipClassify, level, startTime, endTime } = row
    return (
      <EmptyState
        title={row.state === 'done' ? logTexts.fileGone : logTexts.states[row.state]}
        hint={row.reason}
        action={
          <Permitted code={startLogExtraction.access}>
            <Button
              loading={starting.isPending}
              onClick={() =>
                starting.mutate(
                  { equipCode, equipClassify, logExtractParam: { level, startTime, endTime } },
                  { onSuccess: ({ id }) => onOpen(id) },
                )
              }
            >
              {logTexts.retry}
            </Button>
          </Permitted>
        }
      />
    )
  }
  return (
    <ExtractionProgress row={row}>
      <Permitted code={cancelLogExtraction.access}>
        <Button loading={cancelling.isPending} onClick={() => cancelling.mutate({ id: row.id })}>
          {logTexts.cancel}
        </Button>
      </Permitted>
    </ExtractionProgress>
  )
}
