import { Button, Drawer } from 'antd'
import type { ReactNode } from 'react'
import { texts } from '../../../lib/texts/index.ts'
import styles from '../ListPage.module.css'
import { SavedFilters } from '../saved/SavedFilters.tsx'
import type { Draft } from '../useDraft.ts'
import type { List } from '../useList.ts'

/** The filters on a phone: a sheet from below. Lazy, since a desktop never needs it. */
export default function FilterSheet({
  list,
  draft,
  onClose,
  children,
}: {
  list: List
  draft: Draft
  onClose: () => void
  children: ReactNode
}) {
  const apply: List['apply'] = (values) => {
    list.apply(values)
    onClose()
  }
  return (
    <Drawer
      open
      placement="bottom"
      size="auto"
      title={texts.list.filters}
      extra={<SavedFilters list={{ ...list, apply }} />}
      // The page behind stays visible, however many filters there are.
      styles={{
        wrapper: { maxHeight: '85dvh' },
        section: { maxHeight: '85dvh' },
        body: { paddingBottom: 0 },
      }}
      onClose={onClose}
    >
      <form
        className={styles.sheet}
        aria-label={texts.list.filters}
        onSubmit={(event) => {
          event.preventDefault()
          if (draft.submit()) onClose()
        }}
      >
        {children}
        <div className={styles.sheetButtons}>
          <Button
            block
            onClick={() => {
              draft.reset()
              onClose()
            }}
          >
            {texts.list.reset}
          </Button>
          <Button block type="primary" htmlType="submit">
            {texts.list.search}
          </Button>
        </div>
      </form>
    </Drawer>
  )
}
