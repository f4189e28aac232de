import { useQuery } from '@tanstack/react-query'
import { listOperators } from '@voltkeep/contract/operators'
import {
  deletePermissions,
  mostRegions,
  nothingChosenMessage,
  readPermissions,
  updatePermissions,
} from '@voltkeep/contract/permissions'
import { readJurisdiction } from '@voltkeep/contract/session'
import { listUsers, type UserRow } from '@voltkeep/contract/users'
import { Form, Select } from 'antd'
import * as z from 'zod/mini'
import { notify } from '../../lib/notices.ts'
import { useIsSystem } from '../../lib/session.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { ConfirmButton } from '../../ui/ConfirmButton.tsx'
import { useEquipTypes } from '../../ui/choices/choices.ts'
import RegionsCascader from '../../ui/choices/RegionsCascader.tsx'
import { unread } from '../../ui/choices/Unread.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../ui/form/form.types.ts'
import { Permitted } from '../../ui/Permitted.tsx'
import { PermissionPreview } from './PermissionPreview.tsx'
import { entitiesOf } from './permissions.entities.ts'
import { permissionTexts } from './permissions.texts.ts'
import styles from './users.module.css'

const words = permissionTexts
const stale = [listUsers, readPermissions]
const width = 860

const chosenIds = z.optional(z.array(z.string()))
/** The dialog's own form; on the wire the choices are entries of three kinds. */
const PermissionForm = z.object({ ET: chosenIds, O: chosenIds, R: chosenIds }).check(
  z.refine(({ ET, O, R }) => [ET, O, R].some((one) => one !== undefined && one.length > 0), {
    error: nothingChosenMessage,
    path: ['ET'],
  }),
)

/** One user's data permissions, with a preview of the devices that the user will see. */
export default function PermissionDialog({ user, onClose }: { user: UserRow; onClose: () => void }) {
  const saved = useQuery({ ...reading(readPermissions, { userId: user.id }), staleTime: 0, gcTime: 0 })
  if (!saved.data) return null
  const { authorityEntities, version, isSystem } = saved.data
  const chosenOf = (kind: string) => authorityEntities.find(({ type }) => type === kind)?.value ?? []
  return (
    <FormDialog
      title={words.title(user.userName)}
      endpoint={updatePermissions}
      stale={stale}
      schema={PermissionForm}
      width={width}
      initial={{ ET: chosenOf('ET'), O: chosenOf('O'), R: chosenOf('R') }}
      toInput={(values) => ({
        userId: user.id,
        version,
        authorityEntities: entitiesOf(values),
      })}
      confirm={() => ({ title: words.saveTitle, body: words.saveAsk(user.userName) })}
      submitLabel={words.save}
      intro={
        <div className={styles.intro}>
          <p>{words.intro}</p>
          {authorityEntities.length > 0 && <ResetButton user={user} onDone={onClose} />}
        </div>
      }
      onClose={onClose}
    >
      {(form) => (
        <div className={styles.permissions}>
          <PermissionFields form={form} user={user} savedOperatorIds={chosenOf('O')} />
          <Form.Item noStyle shouldUpdate>
            {() => <PermissionPreview userId={user.id} isSystem={isSystem} chosen={form.values()} />}
          </Form.Item>
        </div>
      )}
    </FormDialog>
  )
}

function PermissionFields({
  form: { Field },
  user,
  savedOperatorIds,
}: {
  form: TypedForm<typeof PermissionForm>
  user: UserRow
  savedOperatorIds: readonly string[]
}) {
  const types = useEquipTypes()
  const operators = useQuery(reading(listOperators, { organId: user.organizationId }))
  const own = operators.data ?? []
  const outside = savedOperatorIds.filter((id) => operators.isSuccess && !own.some((each) => each.id === id))
  const all = useQuery({ ...reading(listOperators, {}), enabled: outside.length > 0 })
  const operatorOptions = [
    ...own.map(({ id, name }) => ({ value: id, label: name })),
    // Left over from before the user or the operator changed organizations: it narrows all the same.
    ...outside.map((id) => ({
      value: id,
      label: words.outside(all.data?.find((each) => each.id === id)?.name ?? words.nameless(id)),
    })),
  ]
  return (
    <div>
      <Field name="ET" label={words.fields.equipTypes} dependsOn={['O', 'R']}>
        <Select
          mode="multiple"
          allowClear
          loading={types.isPending}
          notFoundContent={unread(types)}
          placeholder={words.choose}
          showSearch={{ optionFilterProp: 'label' }}
          options={(types.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      <Field name="O" label={words.fields.operators}>
        <Select
          mode="multiple"
          allowClear
          loading={operators.isPending}
          notFoundContent={unread(operators)}
          placeholder={words.choose}
          showSearch={{ optionFilterProp: 'label' }}
          options={operatorOptions}
        />
      </Field>
      <Field name="R" label={words.fields.regions} hint={words.regionsHint}>
        <RegionsCascader
          placeholder={words.choose}
          most={mostRegions}
          onTooMany={() => notify.info(words.tooManyRegions)}
        />
      </Field>
    </div>
  )
}

/** Only where there is something to reset. A caller with data permissions resets the user to those, not to none. */
function ResetButton({ user, onDone }: { user: UserRow; onDone: () => void }) {
  const isSystem = useIsSystem()
  const own = useQuery(reading(readJurisdiction, {}))
  const resetting = useWriting(deletePermissions, stale)
  const isNarrowed = !isSystem && (own.data?.authorityEntities.length ?? 0) > 0
  return (
    <Permitted code={deletePermissions.access}>
      <ConfirmButton
        title={words.resetTitle}
        body={isNarrowed ? words.resetNarrowed : words.resetAsk(user.userName)}
        confirmLabel={words.reset}
        isDanger
        onConfirm={async () => {
          await resetting.mutateAsync({ userId: user.id })
          onDone()
        }}
      >
        {words.reset}
      </ConfirmButton>
    </Permitted>
  )
}
