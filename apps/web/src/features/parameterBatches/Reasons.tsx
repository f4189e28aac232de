import type { ParameterBatchDetail } from '@voltkeep/contract/parameterBatches'
import { formatCount } from '../../lib/format.ts'
import { WatchPart } from '../../ui/WatchPage.tsx'
import { useDeviceFilters } from './devices.filters.ts'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'
import { DeviceState } from './StateTag.tsx'

const { batch: words } = batchTexts

/**
 * Why devices failed or were left out, the most frequent first; pressed, a reason shows its devices. With nothing to
 * tell it has the height of one reason: the first failure moves nothing.
 */
export function Reasons({ batch: { reasons } }: { batch: ParameterBatchDetail }) {
  const filters = useDeviceFilters()
  return (
    <WatchPart title={words.failures}>
      {reasons.length === 0 && <p className={styles.noReason}>{words.noFailures}</p>}
      <ul className={styles.reasons}>
        {reasons.map(({ state, reason, count }) => (
          <li key={`${state} ${reason}`}>
            <button
              type="button"
              className={styles.reason}
              onClick={() => filters.show({ states: [state], reason })}
            >
              <DeviceState state={state} />
              <span className={styles.reasonText}>{reason}</span>
              <span className={styles.reasonCount}>{batchTexts.deviceCount(formatCount(count))}</span>
            </button>
          </li>
        ))}
      </ul>
    </WatchPart>
  )
}
