import { insertRole, type RoleRow, readRole, searchRoles, updateRole } from '@voltkeep/contract/roles'
import { Input, Skeleton } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { tellAccessChanged } from '../../lib/session.ts'
import { call } from '../../lib/wire/call.ts'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { MenuGrants } from './MenuGrants.tsx'
import { withAncestors } from './roles.grants.ts'
import { roleTexts } from './roles.texts.ts'
import { useGrantable } from './useGrantable.ts'

const { fields, save } = roleTexts

/** Adds a role or changes one. */
export default function RoleDialog({ role, onClose }: { role?: RoleRow; onClose: () => void }) {
  const { tree, mayGrant } = useGrantable()
  /** Half-checked parents are sent too: the server ignores them, but the operation log shows them. */
  const granted = (menuIds: readonly string[] = []) =>
    tree ? [...withAncestors(tree, menuIds)] : [...menuIds]
  return (
    <FormDialog
      title={role ? roleTexts.editTitle(role.name) : roleTexts.add}
      endpoint={role ? updateRole : insertRole}
      stale={[searchRoles, readRole]}
      initial={role ?? {}}
      toInput={(values) => ({ ...values, menuIds: granted(values.menuIds) })}
      confirm={({ name, menuIds }) => ({
        title: save.title,
        body: (
          <>
            <p>{save.ask(name, formatCount(granted(menuIds).length))}</p>
            {role && role.userCount > 0 && <p>{save.affects(formatCount(role.userCount))}</p>}
          </>
        ),
        confirmLabel: save.go,
      })}
      readPresent={role && (() => call(readRole, { id: role.id }))}
      onDone={tellAccessChanged}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
          <Field name="code" label={fields.code} hint={roleTexts.codeRule}>
            <Input maxLength={64} autoComplete="off" spellCheck={false} />
          </Field>
          <Field name="remark" label={fields.remark}>
            <Input maxLength={200} autoComplete="off" />
          </Field>
          <Field name="menuIds" label={fields.menus} hint={roleTexts.tree.hint}>
            {tree ? <MenuGrants tree={tree} mayGrant={mayGrant} /> : <Skeleton active title={false} />}
          </Field>
        </>
      )}
    </FormDialog>
  )
}
