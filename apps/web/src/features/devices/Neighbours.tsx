import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import styles from './devices.module.css'
import { deviceTexts } from './devices.texts.ts'

const words = deviceTexts.neighbours

/** To the device above and below in the list; nothing where the open one is not on its page. */
export function Neighbours({
  rows,
  id,
  onOpen,
}: {
  rows: readonly { id: string }[]
  id: string
  onOpen: (id: string) => void
}) {
  const at = rows.findIndex((row) => row.id === id)
  if (at < 0) return null
  const go = (step: -1 | 1) => {
    const next = rows[at + step]
    if (next) onOpen(next.id)
  }
  return (
    <span className={styles.neighbours}>
      <Button
        type="text"
        size="small"
        icon={<UpOutlined />}
        aria-label={words.previous}
        title={words.previous}
        disabled={at === 0}
        onClick={() => go(-1)}
      />
      <Button
        type="text"
        size="small"
        icon={<DownOutlined />}
        aria-label={words.next}
        title={words.next}
        disabled={at === rows.length - 1}
        onClick={() => go(1)}
      />
    </span>
  )
}
