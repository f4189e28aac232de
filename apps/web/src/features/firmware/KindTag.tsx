import type { PackageRow } from '@voltkeep/contract/firmware'
import { texts } from '../../lib/texts/index.ts'
import styles from './firmware.module.css'
import { firmwareTexts } from './firmware.texts.ts'

/** 正式版 or 测试版, and whether the alarm gate has stopped an upgrade with it. */
export function KindTag({ isRelease, gateFailedTime }: Pick<PackageRow, 'isRelease' | 'gateFailedTime'>) {
  return (
    <span className={styles.kinds}>
      <span className={styles.kind} data-test={!isRelease || undefined}>
        {firmwareTexts.kinds[isRelease ? 1 : 0]}
      </span>
      {gateFailedTime !== null && (
        <span className={styles.gateFailed} title={texts.packages.gateFailedAt(gateFailedTime)}>
          {texts.packages.gateFailed}
        </span>
      )}
    </span>
  )
}
