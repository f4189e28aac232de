// The server's log files.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { integer, text } from '@voltkeep/contract/fields'
import { listLogNames, logLinesLimit, readLog } from '@voltkeep/contract/server'
import { Button, Input, Select } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { formatBytes } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { call } from '../../lib/wire/call.ts'
import { keyOf, reading } from '../../lib/wire/reading.ts'
import { Unread } from '../../ui/choices/Unread.tsx'
import { LogLine } from './LogLine.tsx'
import styles from './serverStatus.module.css'
import { serverTexts } from './serverStatus.texts.ts'

const words = serverTexts
const refreshMs = 5_000
/** The server's own log file; the database writes another one. */
const ownLog = 'voltkeep.log'
const lineCounts = [100, 200, 500, logLinesLimit]

const LogSearch = z.object({
  log: z.optional(text(words.logFile, 100)),
  text: z.optional(text(words.logText, 100)),
  lines: z._default(integer(words.logLines, 1, logLinesLimit), 200),
})

/** The end of a log file, refreshed while it grows; earlier lines on demand. */
export function Logs() {
  const [search, setSearch] = useUrlState(LogSearch)
  const [typed, setTyped] = useState(search.text ?? '')
  const files = useQuery({
    ...reading(listLogNames, {}),
    refetchInterval: refreshMs * 6,
    meta: { isQuiet: 'first' },
  })
  const name = search.log ?? (files.data?.find((file) => file.name === ownLog) ?? files.data?.[0])?.name
  const log = useLog(name, search)
  const lines = log.data?.pages.toReversed().flatMap((page) => page.lines) ?? []

  if (files.data?.length === 0) return <p className={styles.quiet}>{words.noLogs}</p>
  return (
    <>
      <form
        className={styles.logFilters}
        onSubmit={(event) => {
          event.preventDefault()
          setSearch({ ...search, text: typed.trim() })
        }}
      >
        <Select
          aria-label={words.logFile}
          className={styles.logFile ?? ''}
          value={name}
          loading={files.isPending}
          popupMatchSelectWidth={false}
          options={(files.data ?? []).map((file) => ({
            value: file.name,
            label: words.logFileOption(file.name, formatBytes(file.sizeBytes)),
          }))}
          onChange={(log: string) => setSearch({ ...search, log })}
        />
        <Select
          aria-label={words.logLines}
          value={search.lines}
          options={lineCounts.map((count) => ({ value: count, label: words.lines(count) }))}
          onChange={(count: number) => setSearch({ ...search, lines: count })}
        />
        <Input
          className={styles.logText ?? ''}
          aria-label={words.logText}
          placeholder={words.logText}
          allowClear
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button htmlType="submit">{texts.list.search}</Button>
        <Button loading={log.isFetching && !log.isFetchingNextPage} onClick={() => void log.refetch()}>
          {words.refresh}
        </Button>
      </form>
      {log.isError && (
        <p role="alert" className={styles.bad}>
          {log.error.message}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard */}
      <section className={styles.log} aria-label={words.logContents} tabIndex={0}>
        {log.hasNextPage && (
          <Button
            size="small"
            className={styles.older ?? ''}
            loading={log.isFetchingNextPage}
            onClick={() => void log.fetchNextPage()}
          >
            {words.older}
          </Button>
        )}
        {!files.data && <Unread query={files} />}
        {files.data && log.isPending && <p className={styles.quiet}>{texts.list.loading}</p>}
        {log.isSuccess && lines.length === 0 && (
          <p className={styles.quiet}>{search.text ? words.noMatch : words.noLines}</p>
        )}
        <ol>
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: equal lines are not told apart otherwise
            <LogLine key={at} line={line} />
          ))}
        </ol>
      </section>
    </>
  )
}

function useLog(name: string | undefined, { text: words, lines }: z.output<typeof LogSearch>) {
  return useInfiniteQuery({
    queryKey: [...keyOf(readLog), { name, words, lines }],
    queryFn: ({ pageParam, signal }) =>
      call(
        readLog,
        { name: name as string, lines, text: words, ...(pageParam === null ? {} : { before: pageParam }) },
        { signal },
      ),
    meta: { isQuiet: true },
    initialPageParam: null as number | null,
    getNextPageParam: ({ before }) => before,
    enabled: name !== undefined,
    // While the user reads earlier lines, the end is not refreshed.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
    retry: false,
  })
}
