// A log of any size to be read and searched: only the rows in sight are drawn.
import type { InputRef } from 'antd'
import { Button, Checkbox, Select } from 'antd'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { isComposing } from '../../../lib/browser/composing.ts'
import { narrowQuery } from '../../../lib/browser/media.ts'
import { formatBytes, formatCount } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { useStore } from '../../../lib/store.ts'
import { copyText } from '../../../ui/CopyText.tsx'
import { choicesOf } from '../../../ui/choices/choicesOf.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { logTexts } from '../logs.texts.ts'
import { LevelFilter } from './LevelFilter.tsx'
import { Lines } from './Lines.tsx'
import { SearchBox } from './SearchBox.tsx'
import { useSelection } from './selection.ts'
import { TimeJump } from './TimeJump.tsx'
import { type Encoding, encodings } from './text/encoding.ts'
import type { Failure, WorkerState } from './text/logService.ts'
import { copyLimitLines } from './text/logText.ts'
import type { LogReader } from './text/reader.ts'
import { formatMoment } from './text/times.ts'
import { useLogView } from './useLogView.ts'
import { useScrolling } from './useScrolling.ts'
import styles from './viewer.module.css'

const words = logTexts.viewer

export interface LogViewerProps {
  reader: LogReader
  /** The size in bytes, where it is known. */
  ofBytes: number | undefined
  /** Describes why the text, or the rest of it, could not be read. */
  describe: (failure: Failure) => Promise<string>
  onRetry: () => void
  /** Actions at the right end of the toolbar, e.g. the download. */
  actions?: ReactNode
}

/** A viewer for log text of any size: search, level filter, jump to a time, copy. */
export function LogViewer({ reader, ofBytes, describe, onRetry, actions }: LogViewerProps) {
  const state = useStore(reader.state)
  const text = state?.text
  const failure = useDescribed(state?.failure, describe)
  if (!state || !text) return <p className={styles.quiet}>{words.loading}</p>
  if (state.failure && text.rows === 0) {
    return (
      <EmptyState
        title={words.failed}
        hint={failure}
        action={<Button onClick={onRetry}>{words.retry}</Button>}
      />
    )
  }
  if (text.isComplete && text.bytes === 0) {
    return <EmptyState title={words.empty} action={actions} />
  }
  return <OpenLog {...{ reader, state, ofBytes, failure, onRetry, actions }} />
}

function useDescribed(failure: Failure | undefined, describe: LogViewerProps['describe']) {
  const [words, setWords] = useState<string>()
  useEffect(() => {
    let isOver = false
    setWords(undefined)
    if (failure) void describe(failure).then((said) => !isOver && setWords(said))
    return () => {
      isOver = true
    }
  }, [failure, describe])
  return words
}

function OpenLog({
  reader,
  state,
  ofBytes,
  failure,
  onRetry,
  actions,
}: Omit<LogViewerProps, 'describe'> & { state: WorkerState; failure: string | undefined }) {
  const { text, search } = state
  // On a phone, lines are longer than the screen is wide.
  const [isWrapped, setWrapped] = useState(() => window.matchMedia(narrowQuery).matches)
  const [encoding, setEncoding] = useState<Encoding>()
  const scrolling = useScrolling(text.shownRows, isWrapped)
  const view = useLogView(reader, state, scrolling)
  const selection = useSelection()
  const searchInput = useRef<InputRef>(null)
  const whole = useRef<HTMLDivElement>(null)

  const selected = selection.range ? selection.range.to - selection.range.from + 1 : 0
  const copy = async () => {
    if (!selection.range) return
    if (selected > copyLimitLines) notify.error(words.copyTooMany(formatCount(copyLimitLines)))
    else await copyText(await reader.copied(selection.range.from, selection.range.to))
  }

  const focusSearch = () => searchInput.current?.focus({ cursor: 'all' })
  useSearchKey(focusSearch)
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'F3') {
      event.preventDefault()
      void view.step(event.shiftKey ? -1 : 1)
    } else if (event.key === 'Escape' && selection.range && !event.defaultPrevented) {
      event.preventDefault()
      selection.clear()
    } else if (event.key === 'c' && (event.ctrlKey || event.metaKey) && selection.range) {
      // A text selection with the mouse takes precedence over selected lines.
      if (!window.getSelection()?.isCollapsed) return
      event.preventDefault()
      void copy()
    }
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the tools and of the text inside
    <div ref={whole} className={styles.viewer} onKeyDown={onKeyDown}>
      {/* biome-ignore lint/a11y/useSemanticElements: a toolbar has no element of its own */}
      <div className={styles.tools} role="group" aria-label={words.tools}>
        <SearchBox view={view} state={search} input={searchInput} />
        <TimeJump reader={reader} text={text} scrolling={scrolling} />
        <Checkbox checked={isWrapped} onChange={({ target }) => setWrapped(target.checked)}>
          {words.wrap}
        </Checkbox>
        <span className={styles.actions}>
          {selected > 0 && (
            <>
              <Button size="small" onClick={() => void copy()}>
                {words.copy(formatCount(selected))}
              </Button>
              <Button size="small" type="text" onClick={selection.clear}>
                {words.unselect}
              </Button>
            </>
          )}
          {actions}
        </span>
        <LevelFilter view={view} counts={text.levelCounts} />
        <Select
          size="small"
          className={styles.encoding ?? ''}
          aria-label={words.encoding}
          variant="borderless"
          value={encoding ?? 'found'}
          disabled={!text.isComplete}
          popupMatchSelectWidth={false}
          options={[
            { value: 'found', label: words.encodings.found(words.encodings[text.encoding]) },
            ...choicesOf(encodings, words.encodings),
          ]}
          onChange={(chosen: Encoding | 'found') => {
            const next = chosen === 'found' ? undefined : chosen
            setEncoding(next)
            void view.decodeAs(next)
          }}
        />
      </div>
      {failure && (
        <p role="alert" className={styles.failure}>
          {failure}
          <button type="button" className="link-button" onClick={onRetry}>
            {words.retry}
          </button>
        </p>
      )}
      <Lines
        view={view}
        scrolling={scrolling}
        count={text.shownRows}
        lines={text.lines}
        isWrapped={isWrapped}
        selection={selection}
      />
      {text.shownRows === 0 && text.isComplete && <p className={styles.none}>{words.emptyFiltered}</p>}
      <Status state={state} ofBytes={ofBytes} isFiltered={view.shown !== undefined} />
    </div>
  )
}

/** How much has been read, the number of lines, and the time span. */
function Status({
  state: { text, failure },
  ofBytes,
  isFiltered,
}: {
  state: WorkerState
  ofBytes: number | undefined
  isFiltered: boolean
}) {
  const isLoading = !text.isComplete && !failure
  const hasTotal = ofBytes !== undefined && ofBytes >= text.bytes
  return (
    <footer className={styles.status}>
      {isLoading && hasTotal && (
        <progress max={ofBytes} value={text.bytes} aria-label={words.loading} className={styles.progress} />
      )}
      <span role="status">
        {isLoading
          ? hasTotal
            ? words.readOf(formatBytes(text.bytes), formatBytes(ofBytes))
            : words.read(formatBytes(text.bytes))
          : formatBytes(text.bytes)}
      </span>
      <span>
        {isFiltered
          ? words.shownLines(formatCount(text.shownRows), formatCount(text.lines))
          : words.lines(formatCount(text.lines))}
      </span>
      {!Number.isNaN(text.firstTime) && (
        <span>{words.range(formatMoment(text.firstTime), formatMoment(text.lastTime))}</span>
      )}
    </footer>
  )
}

/** `/` and Ctrl+F focus the search box: the browser's own search covers only the rows that are drawn. */
function useSearchKey(focus: () => void) {
  const latest = useRef(focus)
  useEffect(() => {
    latest.current = focus
  })
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, [contenteditable]')
      const isFind = event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey
      const isSlash = event.key === '/' && !isTyping
      if ((!isFind && !isSlash) || event.defaultPrevented) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
