import type { OrganizationNode } from '@voltkeep/contract/organizations'
import type { UserRow } from '@voltkeep/contract/users'
import type { Confirmation } from '../../../ui/buttons/Confirmation.tsx'
import { organizationName } from '../../../ui/choices/choices.trees.ts'
import { userTexts } from '../users.texts.ts'

const { save } = userTexts

/** The values about to be saved. Only these two fields affect more than the user's own record. */
interface Saved {
  roleIds: readonly string[]
  organizationId: string
}

/** The confirmation before a change of roles or organization; undefined where neither changes. */
export function confirmationOf(
  user: UserRow,
  { roleIds, organizationId }: Saved,
  known: { roles: readonly { id: string; name: string }[]; organizations: readonly OrganizationNode[] },
): Confirmation | undefined {
  const changes: string[] = []
  if (roleIds.length !== user.roleIds.length || !roleIds.every((id) => user.roleIds.includes(id))) {
    const names = roleIds.map((id) => known.roles.find((role) => role.id === id)?.name ?? id)
    changes.push(save.roles(user.userName, user.roleNames.join('、') || save.noRole, names.join('、')))
  }
  if (organizationId !== user.organizationId) {
    const name = organizationName(known.organizations, organizationId)
    changes.push(save.organization(user.userName, user.organizationName, name))
  }
  if (changes.length === 0) return undefined
  return { title: save.title, body: changes.join('\n'), confirmLabel: save.action }
}
