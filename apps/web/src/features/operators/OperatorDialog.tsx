import {
  insertOperator,
  listOperators,
  type OperatorRow,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract/operators'
import { Input } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { call } from '../../lib/wire/call.ts'
import { organizationName } from '../../ui/choices/choices.trees.ts'
import { useOrganizations } from '../../ui/choices/choices.ts'
import OrganizationTree from '../../ui/choices/OrganizationTree.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { operatorTexts } from './operators.texts.ts'

const { fields, move } = operatorTexts
const stale = [searchOperators, listOperators]

/** Adds an operator, with the given organization preset; or changes one. */
export default function OperatorDialog({
  operator,
  organizationId,
  onClose,
}: {
  operator?: OperatorRow
  organizationId?: string | undefined
  onClose: () => void
}) {
  const organizations = useOrganizations()
  /** The operator as last read: the confirmation compares with it. */
  const [saved, setSaved] = useState(operator)
  const readPresent = async (changed: OperatorRow) => {
    const { rows } = await call(searchOperators, { ids: [changed.id] })
    const present = rows[0] ?? changed
    setSaved(present)
    return present
  }
  const nameOf = (id: string) => organizationName(organizations.data ?? [], id)
  return (
    <FormDialog
      title={operator ? operatorTexts.editTitle(operator.name) : operatorTexts.add}
      endpoint={operator ? updateOperator : insertOperator}
      stale={stale}
      initial={operator ?? { organizationId }}
      confirm={(values) =>
        saved && values.organizationId !== saved.organizationId
          ? {
              title: move.title,
              body: move.ask(
                saved.name,
                formatCount(saved.deviceCount),
                saved.organizationName,
                nameOf(values.organizationId),
              ),
              confirmLabel: move.action,
            }
          : undefined
      }
      readPresent={operator && (() => readPresent(operator))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
          <Field name="code" label={fields.code}>
            <Input maxLength={64} autoComplete="off" spellCheck={false} />
          </Field>
          <Field name="organizationId" label={fields.organization} hint={operator && operatorTexts.moveHint}>
            <OrganizationTree placeholder={operatorTexts.choose} />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
