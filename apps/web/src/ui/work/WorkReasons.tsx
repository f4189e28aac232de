// Why devices of a work failed or were left out.
import type { Schema } from '@voltkeep/contract/endpoint'
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { WorkState } from './StateTag.tsx'
import { WatchPart } from './WatchPage.tsx'
import styles from './WorkReasons.module.css'

export interface WorkReasonsProps {
  title: string
  aside?: ReactNode
  /** The most frequent first. */
  reasons: readonly { state: string; reason: string; count: number }[]
  /** Shown without reasons. */
  none: string
  states: Readonly<Record<string, string>>
  /** A reason as users read it. */
  reasonOf?: (reason: string) => string
  countOf: (count: string) => string
  /** The call for the devices, whose filters are in the page's address. */
  devices: { input: Schema }
}

/**
 * Pressing a reason filters the devices by it. Without reasons the part has the height of one: the first failure moves
 * nothing.
 */
export function WorkReasons({
  title,
  aside,
  reasons,
  none,
  states,
  reasonOf,
  countOf,
  devices,
}: WorkReasonsProps) {
  return (
    <WatchPart title={title} aside={aside}>
      {reasons.length === 0 && <p className={styles.none}>{none}</p>}
      <ReasonList reasons={reasons} states={states} reasonOf={reasonOf} countOf={countOf} devices={devices} />
    </WatchPart>
  )
}

/** The reasons, each of which filters the devices by it and by what is `also` given. */
export function ReasonList({
  reasons,
  states,
  reasonOf = (reason) => reason,
  countOf,
  devices,
  also = {},
}: Pick<WorkReasonsProps, 'reasons' | 'states' | 'reasonOf' | 'countOf' | 'devices'> & { also?: object }) {
  const [, filterDevices] = useUrlState(devices.input)
  return (
    <ul className={styles.reasons}>
      {reasons.map(({ state, reason, count }) => (
        <li key={`${state} ${reason}`}>
          <button
            type="button"
            className={styles.reason}
            onClick={() => filterDevices({ ...also, states: [state], reason })}
          >
            <WorkState state={state} words={states} />
            <span className={styles.text}>{reasonOf(reason)}</span>
            <span className={styles.count}>{countOf(formatCount(count))}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
