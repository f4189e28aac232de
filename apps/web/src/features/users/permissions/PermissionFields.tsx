import { useQuery } from '@tanstack/react-query'
import { listOperators } from '@voltkeep/contract/operators'
import { mostRegions } from '@voltkeep/contract/permissions'
import { notify } from '../../../lib/notices.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { EquipTypeChoice } from '../../../ui/choices/PlaceChoices.tsx'
import RegionsCascader from '../../../ui/choices/RegionsCascader.tsx'
import { unread } from '../../../ui/choices/Unread.tsx'
import type { TypedForm } from '../../../ui/form/form.types.ts'
import { SearchSelect } from '../../../ui/typed/SearchSelect.tsx'
import { permissionTexts } from '../permissions.texts.ts'
import type { PermissionForm } from './permissions.entities.ts'

const words = permissionTexts

/** The data permissions of a user as three form fields; the first one shows the problems of all three. */
export function PermissionFields({
  form: { Field },
  organizationId,
  operatorIds,
}: {
  form: Pick<TypedForm<typeof PermissionForm>, 'Field'>
  /** The user's organization, whose operators are offered. */
  organizationId: string | undefined
  /** The chosen operators, including those that no longer belong to the organization. */
  operatorIds: readonly string[]
}) {
  const operators = useQuery({
    ...reading(listOperators, { organId: organizationId }),
    enabled: organizationId !== undefined,
  })
  const own = operators.data ?? []
  const outside = operatorIds.filter((id) => operators.isSuccess && !own.some((each) => each.id === id))
  const all = useQuery({ ...reading(listOperators, {}), enabled: outside.length > 0 })
  const operatorOptions = [
    ...own.map(({ id, name }) => ({ value: id, label: name })),
    // Left over from before the user or the operator changed organizations: these entries are still in effect.
    ...outside.map((id) => ({
      value: id,
      label: words.outside(all.data?.find((each) => each.id === id)?.name ?? words.nameless(id)),
    })),
  ]
  return (
    <>
      <Field name="ET" label={words.fields.equipTypes} dependsOn={['O', 'R']}>
        <EquipTypeChoice<string[]> mode="multiple" allowClear placeholder={words.choose} />
      </Field>
      <Field name="O" label={words.fields.operators}>
        <SearchSelect
          mode="multiple"
          allowClear
          loading={operators.isLoading}
          notFoundContent={unread(operators)}
          placeholder={words.choose}
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
    </>
  )
}
