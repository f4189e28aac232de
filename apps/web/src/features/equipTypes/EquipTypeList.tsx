// The tab of equipment types; the panel of a type lists its models, a model lists its parts.
import {
  deleteEquipType,
  type EquipType,
  insertEquipType,
  listEquipTypes,
  updateEquipType,
} from '@voltkeep/contract/equipTypes'
import { id, text } from '@voltkeep/contract/fields'
import { type ReactNode, useState } from 'react'
import * as z from 'zod/mini'
import { usePage } from '../../lib/pages.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { useAdding } from '../../ui/buttons/adding.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { useEnum } from '../../ui/choices/choices.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn, textColumn } from '../../ui/list/plainColumns.tsx'
import { contains, useWholeList } from '../../ui/list/useWholeList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { EquipTypeActions } from './EquipTypeActions.tsx'
import { EquipTypeDetail } from './EquipTypeDetail.tsx'
import { equipTypeTexts } from './equipTypes.texts.ts'

const EquipTypeDialog = lazyDialog(() => import('./EquipTypeDialog.tsx'))

const { fields } = equipTypeTexts

const Filters = z.object({
  keyword: z.optional(text(fields.keyword, 64)),
  classify: z.optional(text(fields.classify, 64)),
})
type Filters = z.output<typeof Filters>

const matches = ({ name, code, classify, equipModels }: EquipType, wanted: Filters) =>
  contains(wanted.keyword, name, code, ...equipModels.flatMap((model) => [model.name, model.code])) &&
  (wanted.classify === undefined || wanted.classify === classify)

/** The type shown beside the list, and the selected model. */
const Shown = z.object({ open: z.optional(id()), model: z.optional(id()) })

export function EquipTypeList({ head }: { head: ReactNode }) {
  const { title } = usePage()
  const list = useWholeList(listEquipTypes, { filters: Filters, matches })
  const [shown, show] = useUrlState(Shown)
  const classifies = useEnum('EQUIP_CLASSIFY')
  const adding = useAdding(insertEquipType, equipTypeTexts)
  const [edited, setEdited] = useState<EquipType>()

  const columns: Column<EquipType>[] = [
    textColumn('name', fields.name, { fixed: 'left', maxWidth: 240 }),
    { key: 'code', title: fields.code, render: ({ code }) => <CopyText text={code} /> },
    textColumn('classifyName', fields.classify, { key: 'classify' }),
    {
      key: 'models',
      title: fields.models,
      width: 80,
      align: 'right',
      render: ({ equipModels }) => equipTypeTexts.modelCount(equipModels.length),
    },
    {
      key: 'partTypes',
      title: fields.partTypes,
      render: ({ partTypes }) => {
        const names = partTypes.map(({ name }) => name).join('、')
        return names ? <span title={names}>{names}</span> : <Nothing />
      },
    },
    operationColumn(104, (type) => <EquipTypeActions type={type} onEdit={setEdited} />, [
      updateEquipType.access,
      deleteEquipType.access,
    ]),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={equipTypeTexts.measure}
        list={list}
        columns={columns}
        keyOf={(type) => type.id}
        head={head}
        filters={(draft) => (
          <>
            <TextFilter of={draft} name="keyword" label={fields.keyword} />
            <ChoiceFilter
              of={draft}
              name="classify"
              label={fields.classify}
              isLoading={classifies.isPending}
              options={(classifies.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
            />
          </>
        )}
        actions={adding.button}
        card={({ name, code, classifyName, equipModels }) => ({
          lead: name,
          aside: <span className="mono">{code}</span>,
          // Many types have the name of their class.
          second: [
            ...(classifyName === name ? [] : [classifyName]),
            `${fields.models} ${equipTypeTexts.modelCount(equipModels.length)}`,
          ].join(' · '),
        })}
        onOpen={(type) => show({ open: type.id }, { replace: shown.open !== undefined })}
        openKey={shown.open}
        empty={adding.empty}
        emptyFiltered={equipTypeTexts.emptyFiltered}
      />
      {shown.open && (
        <EquipTypeDetail
          key={shown.open}
          id={shown.open}
          modelId={shown.model}
          onModel={(model) => show({ ...shown, model }, { replace: true })}
          onEdit={setEdited}
          onClose={() => show({})}
        />
      )}
      {adding.isOpen && <EquipTypeDialog onClose={adding.close} />}
      {edited && <EquipTypeDialog key={edited.id} type={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
