import styles from './firmware.module.css'
import { firmwareTexts } from './firmware.texts.ts'

/** 正式版 or 测试版. */
export function KindTag({ isRelease }: { isRelease: boolean }) {
  return (
    <span className={styles.kind} data-test={!isRelease || undefined}>
      {firmwareTexts.kinds[isRelease ? 1 : 0]}
    </span>
  )
}
