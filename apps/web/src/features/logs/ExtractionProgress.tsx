import type { LogExtractionRow, LogExtractionState } from '@voltkeep/contract/logExtraction'
import { type ReactNode, useEffect, useState } from 'react'
import { serverNow } from '../../lib/clock.ts'
import { formatBytes, readWireTime } from '../../lib/format.ts'
import { createRate } from '../../lib/wire/sending.ts'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'

const steps: readonly LogExtractionState[] = ['waiting', 'taken', 'uploading']

/** Progress of an extraction that has not ended. */
export function ExtractionProgress({ row, children }: { row: LogExtractionRow; children: ReactNode }) {
  const at = steps.indexOf(row.state)
  return (
    <div className={styles.underWay}>
      <ol className={styles.steps}>
        {steps.map((step, number) => (
          <li
            key={step}
            data-is={number < at ? 'over' : number === at ? 'present' : 'ahead'}
            aria-current={number === at ? 'step' : undefined}
          >
            {logTexts.steps[step]}
          </li>
        ))}
      </ol>
      <div role="status" className={styles.progress}>
        {row.state === 'uploading' ? <Upload row={row} /> : <Waiting row={row} />}
      </div>
      {row.reason && row.state !== 'uploading' && (
        <p className={styles.quiet}>{logTexts.again(row.reason)}</p>
      )}
      {children}
    </div>
  )
}

function Upload({ row: { receivedBytes, sizeBytes } }: { row: LogExtractionRow }) {
  /** Bytes that had arrived before the page opened are left out of the transfer rate. */
  const [rateAt] = useState(() => {
    const rateOf = createRate()
    return (bytes: number) => rateOf(bytes - receivedBytes)
  })
  const [rate, setRate] = useState(0)
  useEffect(() => setRate(rateAt(receivedBytes)), [receivedBytes, rateAt])
  return (
    <>
      <progress
        aria-label={logTexts.steps.uploading}
        {...(sizeBytes !== null && {
          max: Math.max(1, sizeBytes),
          value: Math.min(receivedBytes, sizeBytes),
        })}
      />
      <span>
        {formatBytes(receivedBytes)}
        {sizeBytes !== null && ` / ${formatBytes(sizeBytes)}`}
        {rate > 0 && `，${formatBytes(rate)}/s`}
      </span>
    </>
  )
}

/** A countdown of the seconds within which the device has to start. */
function Waiting({ row: { deadline } }: { row: LogExtractionRow }) {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const end = deadline === null ? undefined : readWireTime(deadline)
  const seconds = end && Math.max(0, Math.ceil((end.getTime() - now.getTime()) / 1_000))
  return (
    <>
      <progress aria-label={logTexts.steps.waiting} />
      {seconds !== undefined && <span aria-live="off">{logTexts.secondsLeft(seconds)}</span>}
    </>
  )
}
