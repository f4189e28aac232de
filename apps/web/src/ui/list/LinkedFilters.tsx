import { CloseOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import styles from './ListPage.module.css'
import type { List } from './useList.ts'

/** By field: what its chip says of the value. */
export type Linked = Readonly<Record<string, { label: string; text: (value: unknown) => ReactNode }>>

/** Filters that came with a link and have no control: a chip for each, to be seen and to be taken away. */
export function LinkedFilters({ list, linked }: { list: List; linked: Linked }) {
  const used = Object.entries(linked).filter(([name]) => isGiven(list.filters[name]))
  if (used.length === 0) return null
  return (
    <ul className={styles.chips} aria-label={texts.list.filters}>
      {used.map(([name, { label, text }]) => (
        <li key={name} className={styles.chip}>
          <span>
            {label}：{text(list.filters[name])}
          </span>
          <button
            type="button"
            className={styles.drop}
            aria-label={texts.list.dropFilter(label)}
            title={texts.list.dropFilter(label)}
            onClick={() => list.apply({ ...list.filters, [name]: undefined })}
          >
            <CloseOutlined />
          </button>
        </li>
      ))}
    </ul>
  )
}

const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0)
