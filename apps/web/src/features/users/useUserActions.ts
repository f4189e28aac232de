// The actions on a user, for buttons and menus, by the page's functions and by whether the caller may manage that user.
// User 1 has none; the caller's own account has only the form.
import { readPermissions } from '@voltkeep/contract/permissions'
import {
  deleteUser,
  grantSystem,
  listUsers,
  type OneTimePassword,
  resetUserPassword,
  revokeSystem,
  systemRoleId,
  type UserRow,
  updateUser,
} from '@voltkeep/contract/users'
import { notify } from '../../lib/notices.ts'
import { usePage } from '../../lib/pages.ts'
import { useIsSystem } from '../../lib/session.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { askToConfirm } from '../../ui/buttons/Confirmation.tsx'

import { permissionTexts } from './permissions.texts.ts'
import { userTexts } from './users.texts.ts'

export interface UserActionHandlers {
  onEdit: (user: UserRow) => void
  onPermissions: (user: UserRow) => void
  onPassword: (fresh: OneTimePassword) => void
}

/** One action on one user. */
export interface UserAction {
  key: string
  label: string
  isDanger?: boolean
  /** Needs a confirmation. */
  isGrave?: boolean
  isBusy?: boolean
  onSelect: () => void
}

export function useUserActions({ onEdit, onPermissions, onPassword }: UserActionHandlers) {
  const { allRole } = usePage()
  const isSystem = useIsSystem()
  const removing = useWriting(deleteUser, [listUsers], { said: userTexts.remove.done })
  const resetting = useWriting(resetUserPassword, [listUsers], { said: false })
  const granting = useWriting(grantSystem, [listUsers])
  const revoking = useWriting(revokeSystem, [listUsers])
  const switching = useWriting(updateUser, [listUsers])

  const remove = async ({ id, userName, loginName }: UserRow) => {
    const { title, warn, action, cancelled } = userTexts.remove
    const body = `${userTexts.remove.ask(userName, loginName)}\n${warn}`
    if (await askToConfirm({ title, body, confirmLabel: action, isDanger: true })) removing.mutate({ id })
    else notify.info(cancelled)
  }

  const takePassword = (fresh: OneTimePassword) => {
    onPassword(fresh)
    // The answer contains a secret: it is removed from the mutation's state.
    resetting.reset()
  }

  const reset = async ({ id, userName, loginName }: UserRow) => {
    const { title, warn, action } = userTexts.reset
    const body = `${userTexts.reset.ask(userName, loginName)}\n${warn}`
    if (await askToConfirm({ title, body, confirmLabel: action }))
      resetting.mutate({ id }, { onSuccess: takePassword })
  }

  const enable = async ({ id, version, userName, loginName }: UserRow, isEnabled: boolean) => {
    const { title, warn, go } = userTexts.enable
    const body = `${userTexts.enable.ask(userName, loginName)}\n${warn}`
    if (!isEnabled && !(await askToConfirm({ title, body, confirmLabel: go, isDanger: true }))) return
    switching.mutate({ id, isEnabled, version })
  }

  const changeSystem = async ({ id, userName, loginName }: UserRow, isGiven: boolean) => {
    const { title, action, ask, warn } = isGiven ? userTexts.grantSystem : userTexts.revokeSystem
    const body = `${ask(userName, loginName)}\n${warn}`
    if (!(await askToConfirm({ title, body, confirmLabel: action, isDanger: true }))) return
    const writing = isGiven ? granting : revoking
    writing.mutate({ id })
  }

  return {
    enable,
    /** Whether the switch in the user's row is enabled. */
    mayEnable: (user: UserRow) => allRole.includes(updateUser.access) && user.isManageable && !user.isSelf,
    isEnabling: ({ id }: UserRow) => switching.isPending && switching.variables.id === id,
    actionsOf(user: UserRow): UserAction[] {
      if (!user.isManageable) return []
      const all: (UserAction & { code: string; isOfSelf?: boolean })[] = [
        {
          key: 'edit',
          label: userTexts.edit,
          code: updateUser.access,
          isOfSelf: true,
          onSelect: () => onEdit(user),
        },
        {
          key: 'permissions',
          label: permissionTexts.action,
          code: readPermissions.access,
          onSelect: () => onPermissions(user),
        },
        {
          key: 'password',
          label: userTexts.reset.action,
          code: resetUserPassword.access,
          isGrave: true,
          isBusy: resetting.isPending && resetting.variables.id === user.id,
          onSelect: () => void reset(user),
        },
        {
          key: 'delete',
          label: userTexts.remove.action,
          code: deleteUser.access,
          isDanger: true,
          isGrave: true,
          isBusy: removing.isPending && removing.variables.id === user.id,
          onSelect: () => void remove(user),
        },
      ]
      const isOfSystem = user.roleIds.includes(systemRoleId)
      if (isSystem && !user.isSelf) {
        all.push({
          key: 'system',
          label: isOfSystem ? userTexts.revokeSystem.action : userTexts.grantSystem.action,
          code: grantSystem.access,
          isGrave: true,
          isDanger: true,
          isBusy: (isOfSystem ? revoking : granting).isPending,
          onSelect: () => void changeSystem(user, !isOfSystem),
        })
      }
      return all.filter(
        ({ code, isOfSelf = false }) =>
          (code === grantSystem.access || allRole.includes(code)) && (isOfSelf || !user.isSelf),
      )
    },
  }
}
