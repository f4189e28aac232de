import {
  deleteOperator,
  listOperators,
  type OperatorRow,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract/operators'
import { Button } from 'antd'
import { useWriting } from '../../lib/wire/writing.ts'
import { DeleteButton } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { operatorTexts } from './operators.texts.ts'

const { remove } = operatorTexts

/** The actions on one operator, each for a user with its function code. */
export function OperatorActions({
  operator,
  onEdit,
}: {
  operator: OperatorRow
  onEdit: (operator: OperatorRow) => void
}) {
  const deleting = useWriting(deleteOperator, [searchOperators, listOperators], { said: remove.done })
  return (
    <RowActions
      more={
        <Permitted code={deleteOperator.access}>
          <DeleteButton
            words={remove}
            asks={[remove.ask(operator.name), remove.warn]}
            onConfirm={() => deleting.mutateAsync({ id: operator.id })}
          />
        </Permitted>
      }
    >
      <Permitted code={updateOperator.access}>
        <Button type="link" size="small" onClick={() => onEdit(operator)}>
          {operatorTexts.edit}
        </Button>
      </Permitted>
    </RowActions>
  )
}
