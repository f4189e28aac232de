import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef } from 'react'
import { logTexts } from '../logs.texts.ts'
import { Line } from './Line.tsx'
import { rowPx } from './scrolling.ts'
import type { Selection } from './selection.ts'
import { patternOf } from './text/search.ts'
import type { LogView } from './useLogView.ts'
import type { Scrolling } from './useScrolling.ts'
import styles from './viewer.module.css'

export interface LinesProps {
  view: LogView
  scrolling: Scrolling
  /** Rows that the filter shows. */
  count: number
  /** The highest line number, which sets the width of the gutter. */
  lines: number
  isWrapped: boolean
  selection: Selection
}

/** The visible rows, and a scrollbar for all. */
export function Lines({ view, scrolling, count, lines, isWrapped, selection }: LinesProps) {
  const { cache, query, hit } = view
  const { scroller, layer, from, to } = scrolling
  useEffect(() => cache.want(from, to, count))
  const pattern = useMemo(() => query && patternOf(query), [query])

  // A hit may be to the right of the visible part: scrolled to once, when its row is first drawn.
  const shownHit = useRef<object>(undefined)
  useEffect(() => {
    const mark = layer.current?.querySelector('mark[data-present]')
    if (!mark || shownHit.current === hit) return
    shownHit.current = hit
    mark.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })

  const onKeyDown = (event: KeyboardEvent) => {
    // The keys scroll the text sideways; the panel around it must not step to another row.
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') event.stopPropagation()
    const page = (scrolling.room - 2) * rowPx
    const steps: Record<string, number> = {
      ArrowUp: -rowPx,
      ArrowDown: rowPx,
      PageUp: -page,
      PageDown: page,
      ' ': event.shiftKey ? -page : page,
      Home: -Infinity,
      End: Infinity,
    }
    const step = steps[event.key]
    if (step === undefined || event.altKey || event.metaKey) return
    event.preventDefault()
    if (event.shiftKey && event.key !== ' ') {
      const rows = Number.isFinite(step) ? Math.round(step / rowPx) : step
      scrolling.show(selection.extend(rows, scrolling.top, count))
    } else if (step === -Infinity) scrolling.toTop(0)
    else if (step === Infinity) scrolling.toTop(count)
    else scrolling.by(step)
  }

  const onClick = (event: MouseEvent) => {
    const number = (event.target as HTMLElement).closest('[data-number]')
    const place = Number(number?.parentElement?.dataset.place ?? Number.NaN)
    if (!Number.isNaN(place)) selection.press(place, event.shiftKey)
  }

  const places = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
  return (
    <section
      ref={scroller}
      className={styles.scroller}
      aria-label={logTexts.viewer.content}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard
      tabIndex={0}
      data-wrapped={isWrapped || undefined}
      style={{ '--digits': `${String(lines).length}ch` } as React.CSSProperties}
      onScroll={scrolling.onScroll}
      onKeyDown={onKeyDown}
    >
      <div className={styles.whole} style={{ height: scrolling.heightPx }} aria-hidden="true" />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: by keyboard lines are selected with Shift and arrows */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div ref={layer} className={styles.layer} onClick={onClick}>
        {places.map((place) => (
          <Line
            key={place}
            place={place}
            row={cache.at(place)}
            pattern={pattern}
            hitColumn={hit?.place === place ? hit.column : undefined}
            isSelected={selection.has(place)}
          />
        ))}
      </div>
    </section>
  )
}
