import {
  deletePartType,
  insertPartType,
  listPartTypes,
  type PartType,
  updatePartType,
} from '@voltkeep/contract/equipTypes'
import { text } from '@voltkeep/contract/fields'
import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import { CopyText } from '../../ui/CopyText.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { contains, useWholeList } from '../../ui/list/useWholeList.ts'
import { staleTypes } from './equipTypes.api.ts'
import { equipTypeTexts } from './equipTypes.texts.ts'

const PartTypeDialog = lazyDialog(() => import('./PartTypeDialog.tsx'))

const { partTypes: words, remove, edit } = equipTypeTexts

const Filters = z.object({ keyword: z.optional(text(equipTypeTexts.fields.keyword, 64)) })

const matches = ({ code, name }: PartType, { keyword }: z.output<typeof Filters>) =>
  contains(keyword, code, name)

const columns: Column<PartType>[] = [
  {
    key: 'code',
    title: words.fields.code,
    width: 320,
    fixed: 'left',
    render: ({ code }) => <CopyText text={code} />,
  },
  textColumn('name', words.fields.name),
]

/** The part types. Devices report versions by their codes. */
export function PartTypeList({ head }: { head: ReactNode }) {
  return (
    <NounPage
      title={equipTypeTexts.tabs.parts}
      words={{ ...words, edit }}
      list={useWholeList(listPartTypes, { filters: Filters, matches })}
      columns={columns}
      keyOf={({ code }) => code}
      head={head}
      filters={(draft) => <TextFilter of={draft} name="keyword" label={equipTypeTexts.fields.keyword} />}
      card={({ code, name }) => ({ lead: name, second: code })}
      insert={insertPartType}
      update={updatePartType}
      form={({ row, onClose }) => <PartTypeDialog partType={row} onClose={onClose} />}
      remove={{
        endpoint: deletePartType,
        input: ({ code }) => ({ code }),
        words: { ...remove, title: words.removeTitle },
        asks: ({ code, name }) => [words.removeAsk(code, name)],
        stale: staleTypes,
      }}
    />
  )
}
