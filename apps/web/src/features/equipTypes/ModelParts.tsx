// The parts of a model: those of its type, and its own.
import { PlusOutlined } from '@ant-design/icons'
import { deleteModelPart, insertModelPart, type ModelPart } from '@voltkeep/contract/equipTypes'
import { Button } from 'antd'
import { useState } from 'react'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { DetailSection } from '../../ui/detail/DetailPanel.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { type Column, DataTable } from '../../ui/list/DataTable.tsx'
import { operationColumn, textColumn } from '../../ui/list/plainColumns.tsx'
import { TableBox } from '../../ui/list/TableBox.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { type Model, staleTypes, useModelParts } from './equipTypes.api.ts'
import styles from './equipTypes.module.css'
import { equipTypeTexts } from './equipTypes.texts.ts'

const ModelPartDialog = lazyDialog(() => import('./ModelPartDialog.tsx'))

const { parts: words } = equipTypeTexts

export function ModelParts({ model }: { model: Model }) {
  const parts = useModelParts(model.id)
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<ModelPart>()
  const columns: Column<ModelPart>[] = [
    {
      key: 'part',
      title: words.fields.partType,
      maxWidth: 220,
      render: ({ partType, partTypeName, name, isDefault }) => (
        <span title={partType}>
          {name ?? partTypeName}
          {name && <span className={styles.aside}>{partTypeName}</span>}
          {isDefault && <span className={styles.aside}>{words.byDefault}</span>}
        </span>
      ),
    },
    textColumn('addrCount', words.fields.count, { key: 'count', width: 64, align: 'right', isMono: true }),
    textColumn('remark', words.fields.remark, { maxWidth: 160 }),
    operationColumn(
      104,
      (part) => (
        <Permitted code={deleteModelPart.access}>
          <RowActions
            more={
              <DeleteRow
                endpoint={deleteModelPart}
                input={{ id: part.id }}
                stale={staleTypes}
                words={{ ...equipTypeTexts.remove, title: words.removeTitle }}
                asks={[words.removeAsk(model.name, part.name ?? part.partTypeName)]}
              />
            }
          >
            <RowButton onClick={() => setEdited(part)}>{equipTypeTexts.edit}</RowButton>
          </RowActions>
        </Permitted>
      ),
      [deleteModelPart.access],
    ),
  ]
  return (
    <DetailSection
      title={words.title(model.name)}
      aside={
        <Permitted code={insertModelPart.access}>
          <Button size="small" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        </Permitted>
      }
    >
      <TableBox>
        <DataTable
          label={words.title(model.name)}
          columns={columns}
          rows={parts.data ?? []}
          keyOf={({ id }) => id}
          isNarrow={false}
          skeletonRows={parts.isPending ? 3 : 0}
          empty={<p className={styles.nothing}>{parts.error?.message ?? words.none}</p>}
        />
      </TableBox>
      {isAdding && (
        <ModelPartDialog model={model} parts={parts.data ?? []} onClose={() => setAdding(false)} />
      )}
      {edited && (
        <ModelPartDialog
          key={edited.id}
          model={model}
          parts={parts.data ?? []}
          part={edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </DetailSection>
  )
}
