import { EllipsisOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { Permitted } from '../Permitted.tsx'
import { iconButton } from './IconButton.tsx'
import { Popover } from './Popover.tsx'
import styles from './RowActions.module.css'

/**
 * The actions of a row or of a detail's head, their labels aligned as text: at most two harmless ones, and behind ⋯ the
 * others, with all that delete, reset or stop. If its reader may use none of these, ⋯ is not shown.
 */
export function RowActions({ more, children }: { more?: ReactNode; children?: ReactNode }) {
  return (
    <span className={styles.actions}>
      {children}
      {more && (
        <Popover
          isMenu
          label={texts.list.moreActions}
          className={iconButton}
          sign={<EllipsisOutlined aria-hidden="true" />}
        >
          {more}
        </Popover>
      )}
    </span>
  )
}

/** A harmless action; with `code`, for the users who have it. */
export function RowButton({
  code,
  onClick,
  children,
}: {
  code?: string | readonly string[]
  onClick: () => void
  children: ReactNode
}) {
  const button = (
    <Button type="link" size="small" onClick={onClick}>
      {children}
    </Button>
  )
  return code === undefined ? button : <Permitted code={code}>{button}</Permitted>
}
