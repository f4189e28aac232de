// The form of a new API key.
import { useQuery } from '@tanstack/react-query'
import {
  type ApiKeySecret,
  insertApiKey,
  listApiKeys,
  listKeyFunctions,
  validDaysAtMost,
} from '@voltkeep/contract/apiKeys'
import { Input, InputNumber, Radio } from 'antd'
import * as z from 'zod/mini'
import { useCurrentUser } from '../../../lib/session.ts'
import { reading } from '../../../lib/wire/reading.ts'
import OrganizationTree from '../../../ui/choices/OrganizationTree.tsx'
import { unread } from '../../../ui/choices/Unread.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../../ui/form/form.types.ts'
import { useFieldValue } from '../../../ui/form/useFieldValue.ts'
import { SearchSelect } from '../../../ui/typed/SearchSelect.tsx'
import { keyTexts } from '../keys.texts.ts'
import { PermissionFields } from '../permissions/PermissionFields.tsx'
import { choices, entitiesOf, isAnyChosen, nothingChosen } from '../permissions/permissions.entities.ts'

const { fields, hints, sight } = keyTexts

const KeyForm = z
  .extend(z.omit(insertApiKey.input, { authorityEntities: true, networks: true }), {
    sight: z.enum(['all', 'chosen']),
    ...choices,
    /** One a line. */
    networkLines: z.optional(z.string()),
  })
  .check(z.refine((form) => form.sight === 'all' || isAnyChosen(form), nothingChosen))

const linesOf = (text: string) =>
  text
    .split(/[\s,，;；]+/)
    .map((line) => line.trim())
    .filter(Boolean)

/** Adds a key; what it may do and see is chosen from what the user has. */
export default function ApiKeyDialog({
  onDone,
  onClose,
}: {
  onDone: (fresh: ApiKeySecret) => void
  onClose: () => void
}) {
  const { organizationId } = useCurrentUser()
  return (
    <FormDialog
      title={keyTexts.add}
      endpoint={insertApiKey}
      schema={KeyForm}
      stale={[listApiKeys]}
      initial={{ organizationId, sight: 'all', validDays: 90 }}
      toInput={({ sight: kind, ET, O, R, networkLines = '', ...key }) => {
        const networks = linesOf(networkLines)
        return {
          ...key,
          ...(kind === 'chosen' && { authorityEntities: entitiesOf({ ET, O, R }) }),
          ...(networks.length > 0 && { networks }),
        }
      }}
      isAnswerShown
      onDone={onDone}
      onClose={onClose}
    >
      {(form) => (
        <>
          <form.Field name="name" label={fields.name}>
            <Input maxLength={40} autoComplete="off" />
          </form.Field>
          <FunctionsField form={form} />
          <form.Field name="organizationId" label={fields.organization} hint={hints.organization}>
            <OrganizationTree placeholder={keyTexts.choose} />
          </form.Field>
          <SightFields form={form} />
          <form.Field name="networkLines" label={fields.networks} hint={hints.networks}>
            <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} spellCheck={false} />
          </form.Field>
          <form.Field name="validDays" label={fields.validDays}>
            <InputNumber min={1} max={validDaysAtMost} precision={0} suffix={keyTexts.days} />
          </form.Field>
        </>
      )}
    </FormDialog>
  )
}

function FunctionsField({ form: { Field } }: { form: TypedForm<typeof KeyForm> }) {
  const functions = useQuery(reading(listKeyFunctions, {}))
  const pages = Map.groupBy(functions.data ?? [], ({ page }) => page)
  return (
    <Field name="functionCodes" label={fields.functions} hint={hints.functions}>
      <SearchSelect<string[]>
        mode="multiple"
        allowClear
        maxTagCount={8}
        loading={functions.isPending}
        notFoundContent={unread(functions)}
        placeholder={keyTexts.choose}
        options={[...pages].map(([page, own]) => ({
          label: page,
          options: own.map(({ code, name }) => ({ value: code, label: name })),
        }))}
      />
    </Field>
  )
}

function SightFields({ form }: { form: TypedForm<typeof KeyForm> }) {
  const organizationId = useFieldValue(form, 'organizationId')
  const isChosen = useFieldValue(form, 'sight') === 'chosen'
  const O = useFieldValue(form, 'O')
  return (
    <>
      <form.Field name="sight" label={fields.sight}>
        <Radio.Group
          options={[
            { value: 'all', label: sight.all },
            { value: 'chosen', label: sight.chosen },
          ]}
        />
      </form.Field>
      {isChosen && <PermissionFields form={form} organizationId={organizationId} operatorIds={O ?? []} />}
    </>
  )
}
