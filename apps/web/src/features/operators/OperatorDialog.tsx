import {
  insertOperator,
  listOperators,
  type OperatorRow,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract/operators'
import { Input } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import OrganizationTree from '../../ui/choices/OrganizationTree.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'

const { fields } = texts.operators
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
  if (!operator) {
    return (
      <FormDialog
        title={texts.operators.add}
        endpoint={insertOperator}
        stale={stale}
        initial={{ organizationId }}
        onClose={onClose}
      >
        <OperatorFields />
      </FormDialog>
    )
  }
  const { id, name, code, version } = operator
  return (
    <FormDialog
      title={texts.operators.editTitle(name)}
      endpoint={updateOperator}
      stale={stale}
      initial={{ id, name, code, organizationId: operator.organizationId, version }}
      onClose={onClose}
    >
      <OperatorFields hint={texts.operators.moveHint} />
    </FormDialog>
  )
}

function OperatorFields({ hint }: { hint?: string }) {
  return (
    <>
      <Field name="name" label={fields.name}>
        <Input autoFocus maxLength={64} autoComplete="off" />
      </Field>
      <Field name="code" label={fields.code}>
        <Input maxLength={64} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="organizationId" label={fields.organization} hint={hint}>
        <OrganizationTree placeholder={texts.operators.choose} />
      </Field>
    </>
  )
}
