// The users of the organizations that the user manages, with the organization tree at the left; on a phone the tree is
// a filter.
import { EllipsisOutlined } from '@ant-design/icons'
import { readPermissions } from '@voltkeep/contract/permissions'
import {
  deleteUser,
  insertUser,
  listUsers,
  type OneTimePassword,
  resetUserPassword,
  type UserRow,
  updateUser,
} from '@voltkeep/contract/users'
import { Button, Switch } from 'antd'
import { useState } from 'react'
import { mobileQuery, useMedia } from '../../lib/browser/media.ts'
import { usePage } from '../../lib/pages.ts'
import { useAdding } from '../../ui/buttons/adding.tsx'
import { iconButton } from '../../ui/buttons/IconButton.tsx'
import { MenuButton } from '../../ui/buttons/MenuButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { OrganizationPane } from './OrganizationPane.tsx'
import type { HandedOver } from './permissions/users.handOver.ts'
import { UserFilters } from './UserFilters.tsx'
import { userColumns } from './users.columns.tsx'
import styles from './users.module.css'
import { userTexts } from './users.texts.ts'
import { type UserAction, useUserActions } from './useUserActions.ts'

const AddUserDialog = lazyDialog(() => import('./form/AddUserDialog.tsx'))
const EditUserDialog = lazyDialog(() => import('./form/EditUserDialog.tsx'))
const HandOverDialog = lazyDialog(() => import('./permissions/HandOverDialog.tsx'), { isForced: true })
const PermissionDialog = lazyDialog(() => import('./permissions/PermissionDialog.tsx'))
const OneTimePasswordDialog = lazyDialog(() => import('./form/OneTimePasswordDialog.tsx'), { isForced: true })

/** Columns before the switch (name and login name), so that the switch is visible without scrolling. */
const namesFirst = 2

export default function UserPage() {
  const { title } = usePage()
  const list = useList(listUsers)
  const isMobile = useMedia(mobileQuery)
  const adding = useAdding(insertUser, userTexts)
  const [added, setAdded] = useState<HandedOver>()
  const [edited, setEdited] = useState<UserRow>()
  const [limited, setLimited] = useState<UserRow>()
  const [fresh, setFresh] = useState<OneTimePassword>()
  const { enable, mayEnable, isEnabling, actionsOf } = useUserActions({
    onEdit: setEdited,
    onPermissions: setLimited,
    onPassword: setFresh,
  })
  const { organizationId } = list.filters

  const columns: Column<UserRow>[] = [
    ...userColumns.slice(0, namesFirst),
    {
      key: 'isEnabled',
      title: userTexts.fields.isEnabled,
      width: 52,
      render: (user) => (
        <Switch
          size="small"
          aria-label={userTexts.enable.switchOf(user.userName)}
          checked={user.isEnabled}
          disabled={!mayEnable(user)}
          loading={isEnabling(user)}
          onChange={(isEnabled) => void enable(user, isEnabled)}
        />
      ),
    },
    ...userColumns.slice(namesFirst),
    operationColumn(
      158,
      (user) => (
        <RowActions more={buttonsOf(actionsOf(user).filter(({ isGrave }) => isGrave))}>
          {buttonsOf(actionsOf(user).filter(({ isGrave }) => !isGrave))}
        </RowActions>
      ),
      [updateUser.access, readPermissions.access, resetUserPassword.access, deleteUser.access],
    ),
  ]

  return (
    <div className={styles.split}>
      {!isMobile && (
        <OrganizationPane
          chosen={organizationId}
          onChoose={(id) => list.apply({ ...list.filters, organizationId: id })}
        />
      )}
      <ListPage
        title={title}
        measure={userTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => <UserFilters of={draft} hasOrganization={isMobile} />}
        actions={adding.button}
        card={(user) => ({
          lead: `${user.userName}（${user.loginName}）`,
          aside: user.isEnabled ? user.phone : <span className={styles.off}>{userTexts.disabled}</span>,
          second: [user.organizationName, ...user.roleNames].join(' · '),
          action: (
            <CardActions user={user} actionsOf={actionsOf} enable={mayEnable(user) ? enable : undefined} />
          ),
        })}
        empty={adding.empty}
        emptyFiltered={userTexts.emptyFiltered}
      />
      {adding.isOpen && (
        <AddUserDialog organizationId={organizationId} onAdded={setAdded} onClose={adding.close} />
      )}
      {added && <HandOverDialog key={added.id} user={added} onClose={() => setAdded(undefined)} />}
      {edited && <EditUserDialog key={edited.id} user={edited} onClose={() => setEdited(undefined)} />}
      {limited && <PermissionDialog key={limited.id} user={limited} onClose={() => setLimited(undefined)} />}
      {fresh && (
        <OneTimePasswordDialog key={fresh.password} fresh={fresh} onClose={() => setFresh(undefined)} />
      )}
    </div>
  )
}

const buttonsOf = (actions: readonly UserAction[]) =>
  actions.map(({ key, label, isDanger = false, isBusy = false, onSelect }) => (
    <Button key={key} type="link" size="small" danger={isDanger} loading={isBusy} onClick={onSelect}>
      {label}
    </Button>
  ))

/** On a phone, the actions are in one menu. */
function CardActions({
  user,
  actionsOf,
  enable,
}: Pick<ReturnType<typeof useUserActions>, 'actionsOf'> & {
  user: UserRow
  enable: ReturnType<typeof useUserActions>['enable'] | undefined
}) {
  const { isEnabled } = user
  const actions = actionsOf(user)
  if (enable) {
    const label = isEnabled ? userTexts.disabled : userTexts.enabled
    actions.push({ key: 'enable', label, onSelect: () => void enable(user, !isEnabled) })
  }
  // Destructive actions come last.
  const choices = actions
    .sort((one, other) => Number(one.isDanger ?? false) - Number(other.isDanger ?? false))
    .map(({ key, label, isDanger, onSelect }) => ({
      key,
      label: isDanger ? <span className={styles.danger}>{label}</span> : label,
      onSelect,
    }))
  if (choices.length === 0) return null
  return (
    <RowActions>
      <MenuButton label={userTexts.actionsOf(user.userName)} className={iconButton} choices={choices}>
        <EllipsisOutlined aria-hidden="true" />
      </MenuButton>
    </RowActions>
  )
}
