import { insertRole, type RoleRow, readRole, searchRoles, updateRole } from '@voltkeep/contract/roles'
import { Input, Skeleton } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { tellAccessChanged } from '../../lib/session.ts'
import { texts } from '../../lib/texts/index.ts'
import { call } from '../../lib/wire/call.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { MenuGrants } from './MenuGrants.tsx'
import { withAncestors } from './roles.grants.ts'
import { useGrantable } from './useGrantable.ts'

const { fields, save } = texts.roles
type Values = Record<string, unknown>

/** Adds a role or changes one. */
export default function RoleDialog({ role, onClose }: { role?: RoleRow; onClose: () => void }) {
  const { tree, mayGrant } = useGrantable()
  const valuesOf = ({ id, name, code, remark, menuIds, version }: RoleRow): Values => ({
    id,
    name,
    code,
    remark: remark ?? undefined,
    menuIds,
    version,
  })
  // Half-checked parents are sent along: to the server they make no difference, to a reader of the log they do.
  const toInput = ({ menuIds = [], ...values }: Values) =>
    ({
      ...withoutEmpty(values),
      menuIds: tree ? [...withAncestors(tree, menuIds as string[])] : menuIds,
    }) as never
  const confirm = ({ name, menuIds = [] }: Values) => {
    const count = tree ? withAncestors(tree, menuIds as string[]).size : 0
    return {
      title: save.title,
      body: (
        <>
          <p>{save.ask(String(name), formatCount(count))}</p>
          {role && role.userCount > 0 && <p>{save.affects(formatCount(role.userCount))}</p>}
        </>
      ),
      go: save.go,
    }
  }
  const content = (
    <>
      <Field name="name" label={fields.name}>
        <Input autoFocus maxLength={64} autoComplete="off" />
      </Field>
      <Field name="code" label={fields.code} hint={texts.roles.codeRule}>
        <Input maxLength={64} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="remark" label={fields.remark}>
        <Input maxLength={200} autoComplete="off" />
      </Field>
      <Field name="menuIds" label={fields.menus} hint={texts.roles.tree.hint}>
        {tree ? <MenuGrants tree={tree} mayGrant={mayGrant} /> : <Skeleton active title={false} />}
      </Field>
    </>
  )
  return role ? (
    <FormDialog
      title={texts.roles.editTitle(role.name)}
      endpoint={updateRole}
      stale={[searchRoles, readRole]}
      initial={valuesOf(role)}
      toInput={toInput}
      confirm={confirm}
      readPresent={async () => valuesOf(await call(readRole, { id: role.id }))}
      onDone={tellAccessChanged}
      onClose={onClose}
    >
      {content}
    </FormDialog>
  ) : (
    <FormDialog
      title={texts.roles.add}
      endpoint={insertRole}
      stale={[searchRoles]}
      toInput={toInput}
      confirm={confirm}
      onDone={tellAccessChanged}
      onClose={onClose}
    >
      {content}
    </FormDialog>
  )
}
