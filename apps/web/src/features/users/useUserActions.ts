import { readPermissions } from '@voltkeep/contract/permissions'
import {
  deleteUser,
  listUsers,
  type OneTimePassword,
  resetUserPassword,
  type UserRow,
  updateUser,
} from '@voltkeep/contract/users'
import { notify } from '../../lib/notices.ts'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { ask } from '../../ui/Asking.tsx'

const { users, permissions } = texts

export interface UserDeeds {
  onEdit: (user: UserRow) => void
  onPermissions: (user: UserRow) => void
  onPassword: (fresh: OneTimePassword) => void
}

/** Something that may be done to one user. */
export interface UserAction {
  key: string
  label: string
  isDanger?: boolean
  isBusy?: boolean
  onSelect: () => void
}

/**
 * What the signed-in user may do to others, by what the page allows him and by whom he may manage; of user
 * 1 nothing, and of himself no more than changing his form.
 */
export function useUserActions({ onEdit, onPermissions, onPassword }: UserDeeds) {
  const { allRole } = usePage()
  const removing = useWriting(deleteUser, [listUsers], { said: users.remove.done })
  const resetting = useWriting(resetUserPassword, [listUsers], { said: false })
  const switching = useWriting(updateUser, [listUsers])

  const remove = async ({ id, userName, loginName }: UserRow) => {
    const { title, warn, action, cancelled } = users.remove
    const body = `${users.remove.ask(userName, loginName)}\n${warn}`
    if (await ask({ title, body, go: action, isDanger: true })) removing.mutate({ id })
    else notify.info(cancelled)
  }

  const reset = async ({ id, userName, loginName }: UserRow) => {
    const { title, warn, action } = users.reset
    const body = `${users.reset.ask(userName, loginName)}\n${warn}`
    if (await ask({ title, body, go: action })) resetting.mutate({ id }, { onSuccess: onPassword })
  }

  const enable = async ({ id, version, userName, loginName }: UserRow, isEnabled: boolean) => {
    const { title, warn, go } = users.enable
    const body = `${users.enable.ask(userName, loginName)}\n${warn}`
    if (!isEnabled && !(await ask({ title, body, go, isDanger: true }))) return
    switching.mutate({ id, isEnabled, version })
  }

  return {
    enable,
    /** Whether the switch of his row can be pressed. */
    mayEnable: (user: UserRow) => allRole.includes(updateUser.access) && user.isManageable && !user.isSelf,
    isEnabling: ({ id }: UserRow) => switching.isPending && switching.variables.id === id,
    actionsOf(user: UserRow): UserAction[] {
      if (!user.isManageable) return []
      const all: (UserAction & { code: string; isOfSelf?: boolean })[] = [
        {
          key: 'edit',
          label: users.edit,
          code: updateUser.access,
          isOfSelf: true,
          onSelect: () => onEdit(user),
        },
        {
          key: 'permissions',
          label: permissions.action,
          code: readPermissions.access,
          onSelect: () => onPermissions(user),
        },
        {
          key: 'password',
          label: users.reset.action,
          code: resetUserPassword.access,
          isBusy: resetting.isPending && resetting.variables.id === user.id,
          onSelect: () => void reset(user),
        },
        {
          key: 'delete',
          label: users.remove.action,
          code: deleteUser.access,
          isDanger: true,
          isBusy: removing.isPending && removing.variables.id === user.id,
          onSelect: () => void remove(user),
        },
      ]
      return all.filter(({ code, isOfSelf = false }) => allRole.includes(code) && (isOfSelf || !user.isSelf))
    },
  }
}
