import {
  insertOperator,
  listOperators,
  type OperatorRow,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract/operators'
import { Input } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { organizationName } from '../../ui/choices/choices.trees.ts'
import { useOrganizations } from '../../ui/choices/choices.ts'
import OrganizationTree from '../../ui/choices/OrganizationTree.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { operatorTexts } from './operators.texts.ts'

const { fields, move } = operatorTexts
const stale = [searchOperators, listOperators]

/** Adds an operator, to the organization given unless another is chosen; or changes one. */
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
  const nameOf = (id: string) => organizationName(organizations.data ?? [], id)
  return (
    <FormDialog
      title={operator ? operatorTexts.editTitle(operator.name) : operatorTexts.add}
      endpoint={operator ? updateOperator : insertOperator}
      stale={stale}
      initial={operator ?? { organizationId }}
      confirm={(values) =>
        operator && values.organizationId !== operator.organizationId
          ? {
              title: move.title,
              body: move.ask(
                operator.name,
                formatCount(operator.deviceCount),
                operator.organizationName,
                nameOf(values.organizationId),
              ),
              confirmLabel: move.action,
            }
          : undefined
      }
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="name" label={fields.name}>
            <Input autoFocus maxLength={64} autoComplete="off" />
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
