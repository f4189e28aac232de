import { type BoardRow, listBoards, saveBoard } from '@voltkeep/contract/boards'
import { listFirmware, listSoftwareVersions } from '@voltkeep/contract/firmware'
import { Input } from 'antd'
import { call } from '../../lib/wire/call.ts'
import { useEquipTypes } from '../../ui/choices/choices.ts'
import { EquipTypeChoice } from '../../ui/choices/PlaceChoices.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../ui/form/form.types.ts'
import { useFieldValue } from '../../ui/form/useFieldValue.ts'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
import { boardTexts } from './boards.texts.ts'

const { fields } = boardTexts

/** Adds a board or changes one. */
export default function BoardDialog({ board, onClose }: { board?: BoardRow; onClose: () => void }) {
  return (
    <FormDialog
      title={board ? boardTexts.editTitle : boardTexts.add}
      endpoint={saveBoard}
      // Lists of packages show the board's name and target devices.
      stale={[listBoards, listFirmware, listSoftwareVersions]}
      initial={board ?? { equipModelIds: [] }}
      readPresent={board && (() => readPresent(board))}
      onClose={onClose}
    >
      {(form) => (
        <>
          <form.Field name="pcbCode" label={fields.pcbCode} hint={boardTexts.codeHint}>
            <Input maxLength={32} autoComplete="off" spellCheck={false} />
          </form.Field>
          <form.Field name="pcbName" label={fields.pcbName}>
            <Input maxLength={64} autoComplete="off" />
          </form.Field>
          <PlaceFields form={form} />
        </>
      )}
    </FormDialog>
  )
}

/** The board as saved now. A deleted board is returned as it was; the next save reports the deletion. */
async function readPresent(board: BoardRow): Promise<BoardRow> {
  const { rows } = await call(listBoards, { ids: [board.id] })
  return rows[0] ?? board
}

/** The equipment type; its models and its part type. */
function PlaceFields({ form }: { form: TypedForm<typeof saveBoard.input> }) {
  const { Field } = form
  const equipTypeId = useFieldValue(form, 'equipTypeId')
  const types = useEquipTypes()
  const type = types.data?.find(({ id }) => id === equipTypeId)
  const isWithoutType = equipTypeId === undefined
  return (
    <>
      <Field name="equipTypeId" label={fields.equipType}>
        <EquipTypeChoice
          placeholder={boardTexts.choose}
          onChange={() => form.setValues({ equipModelIds: [], partType: undefined })}
        />
      </Field>
      <Field name="equipModelIds" label={fields.equipModels}>
        <SearchSelect
          mode="multiple"
          disabled={isWithoutType}
          placeholder={isWithoutType ? boardTexts.typeFirst : boardTexts.allModels}
          options={(type?.equipModels ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      <Field name="partType" label={fields.partType}>
        <SearchSelect
          disabled={isWithoutType}
          placeholder={isWithoutType ? boardTexts.typeFirst : boardTexts.choose}
          options={(type?.partTypes ?? []).map(({ code, name }) => ({ value: code, label: name }))}
        />
      </Field>
    </>
  )
}
