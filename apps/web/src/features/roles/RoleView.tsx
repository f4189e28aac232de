import type { RoleRow } from '@voltkeep/contract/roles'
import { Button, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { Facts } from '../../ui/detail/DetailPanel.tsx'
import { sizes } from '../../ui/theme/tokens.ts'
import { MenuGrants } from './MenuGrants.tsx'
import { below } from './roles.grants.ts'
import styles from './roles.module.css'
import { roleTexts } from './roles.texts.ts'
import { useGrantable } from './useGrantable.ts'

const { fields } = roleTexts

/** A role that the user may not change: what it grants, and why it cannot be changed. */
export default function RoleView({
  role,
  isSystem,
  onClose,
}: {
  role: RoleRow
  /** The role has all functions, whatever menus are stored for it. */
  isSystem: boolean
  onClose: () => void
}) {
  const [isOpen, setOpen] = useState(true)
  const { tree } = useGrantable()
  const granted = isSystem && tree ? tree.flatMap(below).map(({ id }) => id) : role.menuIds
  return (
    <Modal
      open={isOpen}
      title={roleTexts.viewTitle(role.shownName)}
      width={sizes.dialog}
      centered
      onCancel={() => setOpen(false)}
      afterClose={onClose}
      footer={<Button onClick={() => setOpen(false)}>{texts.close}</Button>}
    >
      <div className={styles.view}>
        {!role.isEditable && (
          <p className={styles.fixed}>{isSystem ? roleTexts.builtInHint : roleTexts.outOfReachHint}</p>
        )}
        <Facts
          facts={[
            [
              fields.code,
              <span key="code" className="mono">
                {role.code}
              </span>,
            ],
            [fields.userCount, formatCount(role.userCount)],
            [fields.remark, role.shownRemark],
          ]}
        />
        {tree ? <MenuGrants tree={tree} value={granted} isReadOnly /> : <Skeleton active title={false} />}
      </div>
    </Modal>
  )
}
