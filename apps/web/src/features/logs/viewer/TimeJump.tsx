import { Input } from 'antd'
import { useState } from 'react'
import { logTexts } from '../logs.texts.ts'
import type { TextState } from './text/logText.ts'
import type { LogReader } from './text/reader.ts'
import { baseOf, readMoment } from './text/times.ts'
import type { Scrolling } from './useScrolling.ts'
import styles from './viewer.module.css'

const words = logTexts.viewer

/** Jumps to the first line at or after a time. A time without a date refers to the day of the visible lines. */
export function TimeJump({
  reader,
  text,
  scrolling,
}: {
  reader: LogReader
  text: TextState
  scrolling: Scrolling
}) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const hasTimes = !Number.isNaN(text.firstTime)

  const jump = async () => {
    if (typed.trim() === '') return
    const inSight = await reader.timeAt(scrolling.top)
    const time = readMoment(typed, baseOf(Number.isNaN(inSight) ? text.firstTime : inSight))
    if (Number.isNaN(time)) {
      setProblem(words.timeUnreadable)
      return
    }
    const place = await reader.placeOfTime(time)
    setProblem(place === undefined ? words.timeBeyond : undefined)
    scrolling.toTop(place ?? text.shownRows)
  }

  return (
    <form
      className={styles.jump}
      onSubmit={(event) => {
        event.preventDefault()
        void jump()
      }}
    >
      <Input
        size="small"
        aria-label={words.jump}
        aria-invalid={problem !== undefined}
        placeholder={hasTimes ? words.jumpHint : words.noTimes}
        disabled={!hasTimes}
        status={problem === undefined ? '' : 'error'}
        value={typed}
        // The message covers other tools, so it is removed on blur.
        onBlur={() => setProblem(undefined)}
        onChange={({ target }) => {
          setTyped(target.value)
          setProblem(undefined)
        }}
      />
      {problem !== undefined && (
        <span role="alert" className={styles.problem}>
          {problem}
        </span>
      )}
    </form>
  )
}
