// One equipment type beside the list: its models, and the parts of the selected model.
import { PlusOutlined } from '@ant-design/icons'
import { columnsFor } from '@voltkeep/contract/compartments'
import { deleteModel, type EquipType, insertModel, updateModel } from '@voltkeep/contract/equipTypes'
import { Button } from 'antd'
import { useState } from 'react'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { type Column, DataTable } from '../../ui/list/DataTable.tsx'
import { operationColumn } from '../../ui/list/plainColumns.tsx'
import { TableBox } from '../../ui/list/TableBox.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { EquipTypeActions } from './EquipTypeActions.tsx'
import { type Model, staleTypes, useEquipType } from './equipTypes.api.ts'
import styles from './equipTypes.module.css'
import { equipTypeTexts } from './equipTypes.texts.ts'
import { ModelParts } from './ModelParts.tsx'

const ModelDialog = lazyDialog(() => import('./ModelDialog.tsx'))

const { fields, models: words } = equipTypeTexts

export function EquipTypeDetail({
  id,
  modelId,
  onModel,
  onEdit,
  onClose,
}: {
  id: string
  modelId: string | undefined
  onModel: (id: string | undefined) => void
  onEdit: (type: EquipType) => void
  onClose: () => void
}) {
  const { type, isPending, error } = useEquipType(id)
  if (!type) {
    return (
      <DetailPanel title={equipTypeTexts.title} onClose={onClose}>
        {!isPending && <EmptyState title={error?.message ?? equipTypeTexts.notFound} />}
      </DetailPanel>
    )
  }
  const model = type.equipModels.find((one) => one.id === modelId)
  return (
    <DetailPanel
      title={type.name}
      actions={<EquipTypeActions type={type} onEdit={onEdit} onDeleted={onClose} />}
      onClose={onClose}
    >
      <DetailSection title={equipTypeTexts.title}>
        <Facts
          facts={[
            [fields.code, <CopyText key="code" text={type.code} />],
            [fields.classify, type.classifyName],
            [fields.partTypes, type.partTypes.map(({ name }) => name).join('、')],
          ]}
        />
      </DetailSection>
      <Models type={type} chosen={model?.id} onChoose={onModel} />
      {model && <ModelParts key={model.id} model={model} />}
    </DetailPanel>
  )
}

function Models({
  type,
  chosen,
  onChoose,
}: {
  type: EquipType
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
}) {
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<Model>()
  const columns: Column<Model>[] = [
    {
      key: 'name',
      title: words.fields.name,
      maxWidth: 180,
      render: ({ id, name }) => (
        <button
          type="button"
          className="link-button"
          aria-expanded={id === chosen}
          onClick={() => onChoose(id === chosen ? undefined : id)}
        >
          {name}
        </button>
      ),
    },
    { key: 'code', title: words.fields.code, render: ({ code }) => <CopyText text={code} /> },
    {
      key: 'arrangement',
      title: words.fields.arrangement,
      render: ({ compartmentCount: count, compartmentColumns }) =>
        count === null ? <Nothing /> : words.arrangement(count, compartmentColumns ?? columnsFor(count)),
    },
    operationColumn(
      104,
      (model) => (
        <RowActions
          more={
            <DeleteRow
              endpoint={deleteModel}
              input={{ id: model.id }}
              stale={staleTypes}
              words={{ ...equipTypeTexts.remove, title: words.removeTitle }}
              asks={[words.removeAsk(model.name)]}
            />
          }
        >
          <RowButton code={updateModel.access} onClick={() => setEdited(model)}>
            {equipTypeTexts.edit}
          </RowButton>
        </RowActions>
      ),
      [updateModel.access, deleteModel.access],
    ),
  ]
  return (
    <DetailSection
      title={words.title}
      aside={
        <Permitted code={insertModel.access}>
          <Button size="small" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        </Permitted>
      }
    >
      {type.equipModels.length > 0 && <p className={styles.hint}>{words.hint}</p>}
      <TableBox>
        <DataTable
          label={words.title}
          columns={columns}
          rows={type.equipModels}
          keyOf={({ id }) => id}
          isNarrow={false}
          onOpen={({ id }) => onChoose(id)}
          openKey={chosen}
          empty={<p className={styles.nothing}>{words.none}</p>}
        />
      </TableBox>
      {isAdding && <ModelDialog equipTypeId={type.id} onAdded={onChoose} onClose={() => setAdding(false)} />}
      {edited && (
        <ModelDialog
          key={edited.id}
          equipTypeId={type.id}
          model={edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </DetailSection>
  )
}
