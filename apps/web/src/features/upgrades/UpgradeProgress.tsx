import type { UpgradeCounts } from '@voltkeep/contract/upgrades'
import { formatCount } from '../../lib/format.ts'
import { ShareBar } from '../../ui/ShareBar.tsx'
import styles from './upgrades.module.css'
import { upgradeTexts } from './upgrades.texts.ts'
import { sharesOf } from './upgrades.words.ts'

/** Progress of a task: the bar, and in words how many targets succeeded and how many failed. */
export function UpgradeProgress({ counts }: { counts: UpgradeCounts }) {
  if (counts.total === 0) return <span className={styles.quiet}>{upgradeTexts.noTargets}</span>
  const shares = sharesOf(counts)
  return (
    <span className={styles.progress}>
      <ShareBar shares={shares} />
      <span className={styles.numbers}>
        <span>{upgradeTexts.succeeded(formatCount(shares.good), formatCount(counts.total))}</span>
        {shares.failed > 0 && (
          <span className={styles.failed}>{upgradeTexts.failedCount(formatCount(shares.failed))}</span>
        )}
      </span>
    </span>
  )
}
