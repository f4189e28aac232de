import type { MenuRecord } from '@voltkeep/contract/menus'
import { formatCount } from '../../lib/format.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { MenuIcon } from '../../ui/menuIcons.tsx'
import { MenuActions, type MenuActionsProps } from './MenuActions.tsx'
import styles from './menus.module.css'
import { menuTexts } from './menus.texts.ts'

const { detail, fields } = menuTexts

/** One menu with all its fields. */
export function MenuDetail({
  way,
  onClose,
  ...actions
}: {
  /** The menu's path from the top level down; empty where the menu does not exist. */
  way: readonly MenuRecord[]
  onClose: () => void
} & Pick<MenuActionsProps, 'onAddBelow' | 'onEdit'>) {
  const menu = way.at(-1)
  if (!menu) {
    return (
      <DetailPanel title={menuTexts.title} onClose={onClose}>
        <EmptyState title={detail.notFound} />
      </DetailPanel>
    )
  }
  const { type, path, remark, url, icon, orderNum, openType, roleCount } = menu
  const above = way.slice(0, -1).map(({ name }) => name)
  return (
    <DetailPanel
      title={menu.name}
      tags={<span className={styles.type}>{menuTexts.types[type]}</span>}
      actions={<MenuActions menu={menu} {...actions} onDeleted={onClose} />}
      onClose={onClose}
    >
      <DetailSection title={detail.info}>
        <Facts
          facts={[
            [fields.parent, above.join(' / ') || menuTexts.top],
            [type === 'F' ? fields.code : fields.remark, <CopyText key="remark" text={remark} />],
            [fields.path, <CopyText key="path" text={path} />],
            [openType === 1 ? fields.link : fields.url, url && <CopyText key="url" text={url} />],
            [fields.openType, menuTexts.openTypes[openType]],
            [fields.icon, icon && <MenuIcon key="icon" name={icon} />],
            [fields.orderNum, orderNum],
            [fields.roles, menuTexts.roleCount(formatCount(roleCount))],
          ]}
        />
      </DetailSection>
    </DetailPanel>
  )
}
