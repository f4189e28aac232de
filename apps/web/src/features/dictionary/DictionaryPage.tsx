// The list of dictionary entries.
import {
  alarmType,
  type DictionaryRow,
  deleteDictionaryEntry,
  insertDictionaryEntry,
  listDictionary,
  updateDictionaryEntry,
} from '@voltkeep/contract/dictionary'
import { useState } from 'react'
import { usePage } from '../../lib/pages.ts'
import { useAdding } from '../../ui/buttons/adding.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn, textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { DictionaryActions } from './DictionaryActions.tsx'
import { DictionaryDetail } from './DictionaryDetail.tsx'
import { useDictionaryTypes, useTypeName } from './dictionary.api.ts'
import { dictionaryTexts } from './dictionary.texts.ts'

const DictionaryDialog = lazyDialog(() => import('./DictionaryDialog.tsx'))

const { fields } = dictionaryTexts

/** Enumerations and semaphores: the names of codes, and the meaning of an alarm's bits. */
export default function DictionaryPage() {
  const { title } = usePage()
  const list = useList(listDictionary)
  const row = useOpenRow()
  const open = list.rows.find(({ id }) => id === row.id)
  const types = useDictionaryTypes()
  const typeName = useTypeName()
  const adding = useAdding(insertDictionaryEntry, dictionaryTexts)
  const [edited, setEdited] = useState<DictionaryRow>()

  const columns: Column<DictionaryRow>[] = [
    { key: 'code', title: fields.code, fixed: 'left', render: ({ code }) => <CopyText text={code} /> },
    textColumn('name', fields.name, { maxWidth: 240 }),
    {
      key: 'type',
      title: fields.type,
      render: ({ type }) => <span title={type}>{typeName(type)}</span>,
    },
    {
      key: 'alarmLevel',
      title: fields.alarmLevel,
      width: 96,
      render: ({ type, alarmLevel }) => (type === alarmType ? <LevelTag level={alarmLevel} /> : <Nothing />),
    },
    {
      key: 'analysisType',
      title: fields.definitions,
      width: 112,
      render: ({ analysisType, definitions }) =>
        analysisType ? (
          <>
            {dictionaryTexts.definitions.positions[analysisType]} ·{' '}
            {dictionaryTexts.definitions.count(definitions?.length ?? 0)}
          </>
        ) : (
          <Nothing />
        ),
    },
    textColumn('note', fields.note, { maxWidth: 320 }),
    operationColumn(104, (entry) => <DictionaryActions entry={entry} onEdit={setEdited} />, [
      updateDictionaryEntry.access,
      deleteDictionaryEntry.access,
    ]),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={dictionaryTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <TextFilter of={draft} name="code" label={fields.code} />
            <TextFilter of={draft} name="name" label={fields.name} />
            <ChoiceFilter
              of={draft}
              name="type"
              label={fields.type}
              isLoading={types.isPending}
              options={(types.data ?? []).map(({ type, name, count }) => ({
                value: type,
                label: `${name}（${count}）`,
                text: `${name} ${type}`,
              }))}
            />
          </>
        )}
        actions={adding.button}
        card={(entry) => ({
          lead: entry.name,
          aside:
            entry.type === alarmType ? (
              <LevelTag level={entry.alarmLevel} />
            ) : (
              <span>{typeName(entry.type)}</span>
            ),
          second: [entry.code, entry.note].filter(Boolean).join(' · '),
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        empty={{ title: dictionaryTexts.empty }}
        emptyFiltered={dictionaryTexts.emptyFiltered}
      />
      {open && (
        <DictionaryDetail
          entry={open}
          typeName={typeName(open.type)}
          onEdit={setEdited}
          steps={stepsFrom(list.rows, open.id, ({ id }) => row.open(id))}
          onClose={row.close}
        />
      )}
      {adding.isOpen && <DictionaryDialog type={list.filters.type} onClose={adding.close} />}
      {edited && <DictionaryDialog key={edited.id} entry={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
