// The compartments of a cabinet at their places: one look tells what is in each, and arrow keys walk them.
import { type KeyboardEvent, type Ref, useImperativeHandle, useRef, useState } from 'react'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { BinSign } from './BinSign.tsx'
import styles from './Bins.module.css'
import {
  type Arrangement,
  type Bin,
  figureText,
  isOff,
  lookOf,
  type Measure,
  placeAfter,
  unitOf,
  worstAlarm,
} from './cabinet.model.ts'
import { cabinetTexts as words } from './cabinet.texts.ts'
import { useChangedValues } from './useChangedValues.ts'

export interface BinsHandle {
  /** Brings a compartment into sight, with the focus on it. */
  focus(no: number): void
}

export interface BinsProps {
  ref?: Ref<BinsHandle>
  arrangement: Arrangement
  /** The open compartment. */
  chosen: number | undefined
  measure: Measure
  /** What is shown is no longer known to be so. */
  isStale: boolean
  onChoose: (no: number | undefined) => void
}

export function Bins({ ref, arrangement, chosen, measure, isStale, onChoose }: BinsProps) {
  const { bins, columns } = arrangement
  const list = useRef<HTMLOListElement>(null)
  const [lastFocused, setLastFocused] = useState<number>()
  const changed = useChangedValues(bins.map(({ no, ...rest }) => [String(no), rest]))
  const buttonOf = (no: number) => list.current?.querySelector<HTMLElement>(`[data-bin="${no}"] > button`)
  useImperativeHandle(ref, () => ({
    focus(no) {
      buttonOf(no)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      buttonOf(no)?.focus({ preventScroll: true })
    },
  }))
  // One of them is in the order of Tab: where the reader was last, else the open one, else the first.
  const reached = [lastFocused, chosen].find((no) => bins.some((bin) => bin.no === no)) ?? bins[0]?.no
  const walk = (event: KeyboardEvent, at: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    if (event.key === 'Escape' && chosen !== undefined) {
      event.preventDefault()
      onChoose(undefined)
      return
    }
    const to = placeAfter(event.key, at, { columns, count: bins.length })
    const bin = to === undefined ? undefined : bins[to]
    if (!bin) return
    // Prevented also at an edge: else the page would step to the next device.
    event.preventDefault()
    buttonOf(bin.no)?.focus()
    if (chosen !== undefined) onChoose(bin.no)
  }
  return (
    <div className={styles.case} style={{ '--columns': columns } as object} data-stale={isStale || undefined}>
      <ol ref={list} className={styles.bins} aria-label={words.title}>
        {bins.map((bin, at) => (
          <li
            key={bin.no}
            className={styles.place}
            data-bin={bin.no}
            data-look={lookOf(bin)}
            data-alarm={bin.alarms.length > 0 ? (worstAlarm(bin)?.level ?? 0) : undefined}
            data-open={bin.isDoorOpen || undefined}
            data-changed={changed.has(String(bin.no)) || undefined}
          >
            <button
              type="button"
              className={styles.bin}
              aria-current={bin.no === chosen || undefined}
              tabIndex={bin.no === reached ? 0 : -1}
              onClick={() => onChoose(bin.no === chosen ? undefined : bin.no)}
              onFocus={() => setLastFocused(bin.no)}
              onKeyDown={(event) => walk(event, at)}
            >
              <Face bin={bin} measure={measure} />
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** What a compartment shows: the narrower its place, the less of it is seen. All of it is read out. */
function Face({ bin, measure }: { bin: Bin; measure: Measure }) {
  const look = lookOf(bin)
  const worst = worstAlarm(bin)
  const value = bin[measure]
  const isUnlocked = bin.isLocked === false && bin.isDoorOpen !== true
  return (
    <>
      <span className={styles.head}>
        <span className={styles.number}>
          {bin.no}
          <span className="visually-hidden">{words.numbered}</span>
        </span>
        <BinSign look={look} />
        <span className={styles.word}>{words.looks[look]}</span>
        {worst && (
          <span className={styles.alarm}>
            <LevelTag level={worst.level} isSign />
          </span>
        )}
      </span>
      <span className={styles.figure} data-off={isOff(bin, measure) || undefined}>
        {value === undefined ? null : (
          <>
            <span className="visually-hidden">{words.measures[measure]}</span> {figureText(measure, value)}
            <span className={styles.unit}>{unitOf(measure)}</span>
          </>
        )}
      </span>
      <span className={styles.foot}>
        {bin.isDoorOpen === true && <span className={styles.door}>{words.doorOpen}</span>}
        {isOff(bin, 'temperature') && measure !== 'temperature' && bin.temperature !== undefined && (
          <span className={styles.off}>
            {figureText('temperature', bin.temperature)}
            {unitOf('temperature')}
          </span>
        )}
        {isUnlocked && <span className={styles.door}>{words.unlocked}</span>}
        {worst ? (
          <span className={styles.alarmName}>{worst.name}</span>
        ) : (
          <span className={styles.battery}>{bin.batteryCode}</span>
        )}
      </span>
      {bin.soc !== undefined && (
        <span className={styles.track}>
          <span className={styles.charge} style={{ width: `${Math.min(100, Math.max(0, bin.soc))}%` }} />
        </span>
      )}
    </>
  )
}
