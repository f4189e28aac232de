// The list of boards.
import { PlusOutlined } from '@ant-design/icons'
import { type BoardRow, deleteBoard, listBoards, saveBoard } from '@voltkeep/contract/boards'
import { Button } from 'antd'
import { useState } from 'react'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { AddFirst } from '../../ui/buttons/AddFirst.tsx'
import { DeleteButton } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { EquipTypeFilter, PartTypeFilter } from '../../ui/choices/filters.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { boardTexts } from './boards.texts.ts'

const BoardDialog = lazyDialog(() => import('./BoardDialog.tsx'))

const { fields, remove } = boardTexts

/** The list of boards, which say the part and the devices that a package is for. */
export default function BoardPage() {
  const { title } = usePage()
  const list = useList(listBoards)
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<BoardRow>()
  const maySave = usePermission(saveBoard.access)
  const mayDelete = usePermission(deleteBoard.access)
  const deleting = useWriting(deleteBoard, [listBoards], { said: remove.done })

  const actions = (board: BoardRow) => (
    <RowActions
      more={
        <Permitted code={deleteBoard.access}>
          <DeleteButton
            words={remove}
            asks={[remove.ask(board.pcbCode, board.pcbName), remove.warn]}
            onConfirm={() => deleting.mutateAsync({ id: board.id })}
          />
        </Permitted>
      }
    >
      <Permitted code={saveBoard.access}>
        <Button type="link" size="small" onClick={() => setEdited(board)}>
          {boardTexts.edit}
        </Button>
      </Permitted>
    </RowActions>
  )
  const operation: Column<BoardRow> = {
    key: 'operation',
    title: texts.list.operation,
    width: 116,
    fixed: 'right',
    render: actions,
  }
  const mayWrite = maySave || mayDelete
  const columns: Column<BoardRow>[] = [
    {
      key: 'pcbCode',
      title: fields.pcbCode,
      fixed: 'left',
      render: ({ pcbCode }) => <CopyText text={pcbCode} />,
    },
    {
      key: 'pcbName',
      title: fields.pcbName,
      maxWidth: 240,
      render: ({ pcbName }) => <span title={pcbName}>{pcbName}</span>,
    },
    { key: 'partType', title: fields.partType, maxWidth: 140, render: ({ partTypeName }) => partTypeName },
    {
      key: 'applyTo',
      title: fields.applyTo,
      maxWidth: 420,
      render: ({ applyTo }) => <span title={applyTo}>{applyTo}</span>,
    },
    { key: 'createTime', title: fields.createTime, width: 168, render: ({ createTime }) => createTime },
    ...(mayWrite ? [operation] : []),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={boardTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <TextFilter of={draft} name="keyword" label={fields.keyword} placeholder={fields.keywordHint} />
            <EquipTypeFilter of={draft} />
            <PartTypeFilter of={draft} label={fields.partType} />
          </>
        )}
        actions={
          <Permitted code={saveBoard.access}>
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
              {boardTexts.add}
            </Button>
          </Permitted>
        }
        card={(board) => ({
          lead: board.pcbName,
          aside: <span className="mono">{board.pcbCode}</span>,
          second: `${board.partTypeName} · ${board.applyTo}`,
          ...(mayWrite && { action: actions(board) }),
        })}
        empty={{
          title: boardTexts.empty,
          hint: maySave ? boardTexts.emptyHint : undefined,
          action: maySave && <AddFirst onClick={() => setAdding(true)} />,
        }}
        emptyFiltered={boardTexts.emptyFiltered}
      />
      {isAdding && <BoardDialog onClose={() => setAdding(false)} />}
      {edited && <BoardDialog key={edited.id} board={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
