import { LineChartOutlined } from '@ant-design/icons'
import { Link } from '@tanstack/react-router'
import type { RawSearch } from '../../../lib/urlState.ts'
import { deviceTexts } from '../devices.texts.ts'
import styles from './CurveLink.module.css'

/** Opens the curves of these readings on the page of their device. */
export function CurveLink({ keys, of }: { keys: readonly string[]; of: string }) {
  const label = deviceTexts.curves.of(of)
  return (
    <Link
      to="."
      search={(({ open }: RawSearch) => ({ open, view: 'history', keys: keys.join(',') })) as never}
      state
      className={styles.curve}
      aria-label={label}
      title={label}
    >
      <LineChartOutlined aria-hidden="true" />
    </Link>
  )
}
