// The files of an extracted log, and the one that is open.
import { useQuery } from '@tanstack/react-query'
import { integer } from '@voltkeep/contract/fields'
import {
  type LogEntry,
  type LogExtractionRow,
  listLogEntries,
  logEntriesLimit,
  readExtractedLog,
} from '@voltkeep/contract/logExtraction'
import { Button, Skeleton } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { errorOfAnswer, fetchingOf } from '../../lib/wire/call.ts'
import { reading } from '../../lib/wire/reading.ts'
import { unreachable } from '../../lib/wire/unreachable.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'
import { LogViewer } from './viewer/LogViewer.tsx'
import type { Failure } from './viewer/text/logService.ts'
import { type LogReader, openLog } from './viewer/text/reader.ts'

const EntrySearch = z.object({
  /** The open file of an archive, by index. */
  entry: z.optional(integer('文件序号', 0, logEntriesLimit)),
})

/** The result of an extraction: its text, or a choice of an archive's files. */
export default function LogContents({
  extraction,
  actions,
}: {
  extraction: LogExtractionRow
  actions: ReactNode
}) {
  const { id } = extraction
  const query = useQuery({
    ...reading(listLogEntries, { id }),
    retry: false,
    staleTime: Infinity,
    meta: { isQuiet: 'first' },
  })
  const [{ entry: chosen }, setChosen] = useUrlState(EntrySearch)
  if (!query.data) {
    if (query.isPending) return <Skeleton active />
    return (
      <EmptyState
        title={logTexts.viewer.failed}
        hint={query.error?.message}
        action={
          <>
            <Button onClick={() => void query.refetch()}>{texts.list.retry}</Button> {actions}
          </>
        }
      />
    )
  }
  const { entries, entryCount } = query.data
  const only = extraction.fileType !== 'zip' && entries.length === 1 ? entries[0] : undefined
  const open = only ?? entries.find(({ index }) => index === chosen)
  if (!open) {
    return (
      <Entries
        entries={entries}
        entryCount={entryCount}
        actions={actions}
        onOpen={(index) => setChosen({ entry: index })}
      />
    )
  }
  return (
    <>
      {!only && (
        <p className={styles.crumb}>
          <button type="button" className="link-button tap" onClick={() => setChosen({})}>
            ‹ {logTexts.entries(formatCount(entryCount))}
          </button>
          <span className="mono">{open.name}</span>
        </p>
      )}
      <OpenText key={open.index} extraction={extraction} entry={open} actions={actions} />
    </>
  )
}

function Entries({
  entries,
  entryCount,
  actions,
  onOpen,
}: {
  entries: readonly LogEntry[]
  entryCount: number
  actions: ReactNode
  onOpen: (index: number) => void
}) {
  return (
    <>
      <p className={styles.entriesHead}>
        {entryCount > entries.length
          ? logTexts.firstEntries(formatCount(entries.length), formatCount(entryCount))
          : logTexts.entries(formatCount(entryCount))}
        {actions}
      </p>
      {entries.length === 0 && <EmptyState title={logTexts.noEntries} />}
      <ul className={styles.entries}>
        {entries.map(({ index, name, sizeBytes, problem }) => (
          <li key={index}>
            <button
              type="button"
              className={styles.entry}
              disabled={problem !== null}
              onClick={() => onOpen(index)}
            >
              <span className="mono">{name}</span>
              <span className={styles.quiet}>
                {problem ?? (sizeBytes === null ? '' : formatBytes(sizeBytes))}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** One text, read by its own worker. */
function OpenText({
  extraction: { id, startTime },
  entry: { index, sizeBytes },
  actions,
}: {
  extraction: LogExtractionRow
  entry: LogEntry
  actions: ReactNode
}) {
  const [reader, setReader] = useState<LogReader>()
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry needs a new reader
  useEffect(() => {
    const [year = 0, month = 0, day = 0] = startTime.slice(0, 10).split('-').map(Number)
    const opened = openLog({
      ...fetchingOf(readExtractedLog, { id, entry: index }),
      base: { year, month, day },
    })
    setReader(opened)
    return () => opened.close()
  }, [id, index, startTime, tries])
  if (!reader) return null
  return (
    <LogViewer
      // A new reader resets the viewer.
      key={tries}
      reader={reader}
      ofBytes={sizeBytes ?? undefined}
      describe={describe}
      onRetry={() => setTries(tries + 1)}
      actions={actions}
    />
  )
}

/** The failure in words; an ended session is handled as everywhere. */
async function describe(failure: Failure): Promise<string> {
  if (failure.kind === 'network') return unreachable()
  if (failure.kind === 'broken') return logTexts.viewer.broken
  const { message } = await errorOfAnswer(failure.status, failure.body)
  return failure.kind === 'incomplete' ? logTexts.viewer.incomplete(message) : message
}
