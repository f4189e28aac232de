// The search box of the log viewer.
import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { Button, Input, type InputRef } from 'antd'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { isComposing } from '../../../lib/browser/composing.ts'
import { formatCount } from '../../../lib/format.ts'
import { logTexts } from '../logs.texts.ts'
import type { SearchState } from './text/search.ts'
import type { LogView } from './useLogView.ts'
import styles from './viewer.module.css'

const words = logTexts.viewer
/** The search is debounced while the user types. */
const pauseMs = 250
const longestQuery = 200

/** The search text, the number of hits, and steps between them. */
export function SearchBox({
  view,
  state,
  input,
}: {
  view: LogView
  state: SearchState
  input: RefObject<InputRef | null>
}) {
  const [typed, setTyped] = useState('')
  const [isCaseSensitive, setCaseSensitive] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const search = (text: string, isSensitive: boolean, afterMs: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(
      () => view.search(text === '' ? undefined : { text, isCaseSensitive: isSensitive }),
      afterMs,
    )
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Escape' && typed !== '') {
      event.preventDefault()
      setTyped('')
      search('', isCaseSensitive, 0)
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (view.query?.text === typed) void view.step(event.shiftKey ? -1 : 1)
    else search(typed, isCaseSensitive, 0)
  }

  const hasHits = view.query !== undefined && state.hits > 0
  return (
    <search className={styles.search}>
      <Input
        ref={input}
        size="small"
        aria-label={words.search}
        placeholder={words.search}
        maxLength={longestQuery}
        allowClear
        value={typed}
        suffix={
          view.query && (
            <span className={styles.hits} role="status">
              {countOf(view, state)}
            </span>
          )
        }
        onChange={({ target }) => {
          setTyped(target.value)
          search(target.value, isCaseSensitive, pauseMs)
        }}
        onKeyDown={onKeyDown}
      />
      <Button
        size="small"
        type="text"
        aria-pressed={isCaseSensitive}
        aria-label={words.caseSensitive}
        title={words.caseSensitive}
        className={styles.toggle ?? ''}
        onClick={() => {
          setCaseSensitive(!isCaseSensitive)
          search(typed, !isCaseSensitive, 0)
        }}
      >
        Aa
      </Button>
      {([-1, 1] as const).map((by) => (
        <Button
          key={by}
          size="small"
          type="text"
          icon={by === 1 ? <DownOutlined /> : <UpOutlined />}
          aria-label={by === 1 ? words.next : words.previous}
          title={by === 1 ? words.next : words.previous}
          disabled={!hasHits}
          onClick={() => void view.step(by)}
        />
      ))}
    </search>
  )
}

function countOf({ hit }: LogView, { hits, isOver, isCapped }: SearchState): string {
  if (hits === 0) return isOver ? words.noHits : words.searching
  const count = isOver && !isCapped ? formatCount(hits) : words.atLeast(formatCount(hits))
  return hit ? words.hits(formatCount(hit.number + 1), count) : words.someHits(count)
}
