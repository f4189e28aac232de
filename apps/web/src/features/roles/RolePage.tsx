// All roles of the installation; the server marks those that the user may change.
import { deleteRole, insertRole, type RoleRow, searchRoles, updateRole } from '@voltkeep/contract/roles'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { useAdding } from '../../ui/buttons/adding.tsx'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn, textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import styles from './roles.module.css'
import { roleTexts } from './roles.texts.ts'

const RoleDialog = lazyDialog(() => import('./RoleDialog.tsx'))
const RoleView = lazyDialog(() => import('./RoleView.tsx'))
const { fields, remove } = roleTexts
const systemRoleId = '1'
const writing = [updateRole.access, deleteRole.access]

export default function RolePage() {
  const { title } = usePage()
  const list = useList(searchRoles)
  const adding = useAdding(insertRole, roleTexts)
  const [edited, setEdited] = useState<RoleRow>()
  const [viewed, setViewed] = useState<RoleRow>()
  const mayEdit = usePermission(updateRole.access)
  const mayDelete = usePermission(deleteRole.access)
  const mayWrite = mayEdit || mayDelete

  const columns: Column<RoleRow>[] = [
    textColumn('shownName', fields.name, { maxWidth: 240 }),
    textColumn('code', fields.code, { maxWidth: 220, isMono: true }),
    textColumn('shownRemark', fields.remark),
    {
      key: 'userCount',
      title: fields.userCount,
      width: 90,
      align: 'right',
      render: ({ userCount }) => formatCount(userCount),
    },
    operationColumn(104, (role) => <RoleActions role={role} onEdit={setEdited} />, writing),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={roleTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => <TextFilter of={draft} name="name" label={fields.name} />}
        actions={adding.button}
        card={(role) => ({
          lead: role.shownName,
          aside: roleTexts.users(formatCount(role.userCount)),
          second: [role.code, role.shownRemark].filter(Boolean).join(' · '),
          action: mayWrite && <RoleActions role={role} onEdit={setEdited} />,
        })}
        onOpen={(role) => (mayEdit && role.isEditable ? setEdited(role) : setViewed(role))}
        empty={{ title: roleTexts.empty }}
        emptyFiltered={roleTexts.emptyFiltered}
      />
      {adding.isOpen && <RoleDialog onClose={adding.close} />}
      {edited && <RoleDialog key={edited.id} role={edited} onClose={() => setEdited(undefined)} />}
      {viewed && (
        <RoleView
          key={viewed.id}
          role={viewed}
          isSystem={viewed.id === systemRoleId}
          onClose={() => setViewed(undefined)}
        />
      )}
    </>
  )
}

function RoleActions({ role, onEdit }: { role: RoleRow; onEdit: (role: RoleRow) => void }) {
  if (!role.isEditable) {
    const isSystem = role.id === systemRoleId
    return (
      <span className={styles.fixed} title={isSystem ? roleTexts.builtInHint : roleTexts.outOfReachHint}>
        {isSystem ? roleTexts.builtIn : roleTexts.outOfReach}
      </span>
    )
  }
  return (
    <RowActions
      more={
        <DeleteRow
          endpoint={deleteRole}
          input={{ id: role.id }}
          stale={[searchRoles]}
          words={remove}
          asks={[remove.ask(role.shownName), role.userCount > 0 && remove.inUse(formatCount(role.userCount))]}
        />
      }
    >
      <RowButton code={updateRole.access} onClick={() => onEdit(role)}>
        {roleTexts.edit}
      </RowButton>
    </RowActions>
  )
}
