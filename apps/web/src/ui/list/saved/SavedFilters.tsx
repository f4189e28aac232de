import { DownOutlined } from '@ant-design/icons'
import { lazy, Suspense } from 'react'
import { texts } from '../../../lib/texts/index.ts'
import { Popover } from '../../buttons/Popover.tsx'
import { Waiting } from '../../Waiting.tsx'
import type { List } from '../useList.ts'
import styles from './SavedFilters.module.css'

const SavedFiltersPanel = lazy(() => import('./SavedFiltersPanel.tsx'))

const words = texts.list.saved

/** The named filters of a list: one press applies one; the filters in effect can be saved under a name. */
export function SavedFilters({ list }: { list: List }) {
  if (!list.name) return null
  return (
    <Popover
      isLazy
      label={words.title}
      className="button"
      sign={
        <>
          {words.title}
          <DownOutlined aria-hidden="true" className={styles.down} />
        </>
      }
    >
      <Suspense fallback={<Waiting lines={3} isPanel />}>
        <SavedFiltersPanel list={list} path={list.name} />
      </Suspense>
    </Popover>
  )
}
