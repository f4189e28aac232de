import { type BoardRow, deleteBoard, listBoards, saveBoard } from '@voltkeep/contract/boards'
import { CopyText } from '../../ui/CopyText.tsx'
import { EquipTypeFilter, PartTypeFilter } from '../../ui/choices/filters.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { boardTexts } from './boards.texts.ts'

const BoardDialog = lazyDialog(() => import('./BoardDialog.tsx'))

const { fields, remove } = boardTexts

const columns: Column<BoardRow>[] = [
  {
    key: 'pcbCode',
    title: fields.pcbCode,
    fixed: 'left',
    render: ({ pcbCode }) => <CopyText text={pcbCode} />,
  },
  textColumn('pcbName', fields.pcbName, { maxWidth: 240 }),
  textColumn('partTypeName', fields.partType, { key: 'partType', maxWidth: 140 }),
  textColumn('applyTo', fields.applyTo, { maxWidth: 420 }),
  timeColumn('createTime', fields.createTime),
]

/** The list of boards, which say the part and the devices that a package is for. */
export default function BoardPage() {
  return (
    <NounPage
      words={boardTexts}
      list={useList(listBoards)}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => (
        <>
          <TextFilter of={draft} name="keyword" label={fields.keyword} placeholder={fields.keywordHint} />
          <EquipTypeFilter of={draft} />
          <PartTypeFilter of={draft} label={fields.partType} />
        </>
      )}
      card={({ pcbName, pcbCode, partTypeName, applyTo }) => ({
        lead: pcbName,
        aside: <span className="mono">{pcbCode}</span>,
        second: `${partTypeName} · ${applyTo}`,
      })}
      insert={saveBoard}
      update={saveBoard}
      form={({ row, onClose }) => <BoardDialog board={row} onClose={onClose} />}
      remove={{
        endpoint: deleteBoard,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ pcbCode, pcbName }) => [remove.ask(pcbCode, pcbName), remove.warn],
        stale: [listBoards],
      }}
      actionsPx={116}
    />
  )
}
