import type { UpgradeCounts } from '@voltkeep/contract/upgrades'
import { formatCount } from '../../lib/format.ts'
import styles from './upgrades.module.css'
import { upgradeTexts } from './upgrades.texts.ts'
import { sharesOf } from './upgrades.words.ts'

/** Targets as a bar of shares: done, failed, under way, left out, and what still waits as the bare ground. */
export function UpgradeBar({ counts, isLarge = false }: { counts: UpgradeCounts; isLarge?: boolean }) {
  const { waiting, ...shares } = sharesOf(counts)
  return (
    <span className={styles.bar} data-large={isLarge || undefined} aria-hidden="true">
      {Object.entries(shares)
        .filter(([, count]) => count > 0)
        .map(([kind, count]) => (
          <span key={kind} className={styles.share} data-kind={kind} style={{ flexGrow: count }} />
        ))}
      {waiting > 0 && <span style={{ flexGrow: waiting }} />}
    </span>
  )
}

/** How far a task is: the bar, and in words how many succeeded and how many failed. */
export function UpgradeProgress({ counts }: { counts: UpgradeCounts }) {
  if (counts.total === 0) return <span className={styles.quiet}>{upgradeTexts.noTargets}</span>
  const { succeeded, failed } = sharesOf(counts)
  return (
    <span className={styles.progress}>
      <UpgradeBar counts={counts} />
      <span className={styles.numbers}>
        <span>{upgradeTexts.succeeded(formatCount(succeeded), formatCount(counts.total))}</span>
        {failed > 0 && <span className={styles.failed}>{upgradeTexts.failedCount(formatCount(failed))}</span>}
      </span>
    </span>
  )
}
