// The list of upgrade tasks.

import { id } from '@voltkeep/contract/fields'
import {
  deleteUpgradeTask,
  insertUpgradeTask,
  listUpgradeTasks,
  liveUpgradeTasks,
  type UpgradeTaskRow,
  updateUpgradeTask,
  upgradeStatuses,
  upgradeTypes,
} from '@voltkeep/contract/upgrades'
import { useState } from 'react'
import * as z from 'zod/mini'
import { usePage } from '../../lib/pages.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { useAdding } from '../../ui/buttons/adding.tsx'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { EquipTypeFilter, PartTypeFilter } from '../../ui/choices/filters.tsx'
import { openedFrom } from '../../ui/detail/useWalk.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { liveBar } from '../../ui/list/LiveBar.tsx'
import { operationColumn, textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { type LiveListOptions, useLiveList } from '../../ui/list/useLiveList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { TaskState } from './StateTag.tsx'
import { UpgradeProgress } from './UpgradeProgress.tsx'
import { useOpenTask } from './upgrades.page.ts'
import { upgradeTexts } from './upgrades.texts.ts'
import { goalOf } from './upgrades.words.ts'

const UpgradeTaskDialog = lazyDialog(() => import('./form/UpgradeTaskDialog.tsx'))

const { fields, remove } = upgradeTexts

/** The software file that an upgrade is to be planned with. */
const PlannedSearch = z.object({ file: z.optional(id()) })

const liveOptions: LiveListOptions<UpgradeTaskRow> = {
  anyState: { type: 'ALL' },
  isChanged: (before, after) => before.state !== after.state || before.stage !== after.stage,
}

export function UpgradeTaskList() {
  const { title } = usePage()
  const list = useList(listUpgradeTasks)
  const live = useLiveList(list, liveUpgradeTasks, liveOptions)
  const openTask = useOpenTask()
  const openRow = ({ id }: UpgradeTaskRow) => openTask(id, openedFrom(live.rows))
  const adding = useAdding(insertUpgradeTask, upgradeTexts)
  const [edited, setEdited] = useState<UpgradeTaskRow>()
  // The list of packages links to the form with one of them.
  const [{ file }, setPlanned] = useUrlState(PlannedSearch)
  const mayAdd = usePermission(insertUpgradeTask.access)

  const actions = (task: UpgradeTaskRow) => (
    <RowActions
      more={
        task.state === 'planned' && (
          <DeleteRow
            endpoint={deleteUpgradeTask}
            input={{ id: task.id }}
            stale={[listUpgradeTasks]}
            words={remove}
            asks={[remove.ask(`${task.equipTypeName} ${goalOf(task)}`), remove.warn]}
          />
        )
      }
    >
      <RowButton onClick={() => openRow(task)}>{upgradeTexts.view}</RowButton>
      {task.state === 'planned' && (
        <RowButton code={updateUpgradeTask.access} onClick={() => setEdited(task)}>
          {upgradeTexts.edit}
        </RowButton>
      )}
    </RowActions>
  )
  const columns: Column<UpgradeTaskRow>[] = [
    {
      key: 'status',
      title: fields.status,
      width: 88,
      fixed: 'left',
      render: (task) => <TaskState task={task} />,
    },
    textColumn('equipTypeName', fields.equipType, { key: 'type', maxWidth: 120 }),
    textColumn('partTypeName', fields.partTypes, { key: 'part', maxWidth: 160 }),
    textColumn('version', fields.version, { maxWidth: 120, isMono: true }),
    {
      key: 'progress',
      title: fields.progress,
      width: 200,
      render: ({ counts }) => <UpgradeProgress counts={counts} />,
    },
    timeColumn('upgradeTime', fields.upgradeTime),
    {
      key: 'remark',
      title: fields.remark,
      maxWidth: 180,
      render: ({ remark, stopNote }) => {
        const shown = stopNote ?? remark
        return shown ? <span title={shown}>{shown}</span> : <Nothing />
      },
    },
    textColumn('createBy', fields.createBy, { maxWidth: 120 }),
    operationColumn(136, actions),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={upgradeTexts.measure}
        list={{ ...list, rows: live.rows }}
        columns={columns}
        keyOf={(task) => task.id}
        filters={(draft) => (
          <>
            <EquipTypeFilter of={draft} />
            <PartTypeFilter of={draft} name="partTypes" label={fields.partTypes} isMultiple />
            <TextFilter
              of={draft}
              name="version"
              label={fields.version}
              placeholder={upgradeTexts.versionHint}
            />
            <ChoiceFilter
              of={draft}
              name="status"
              label={fields.status}
              options={choicesOf(upgradeStatuses, upgradeTexts.statuses)}
            />
            <ChoiceFilter
              of={draft}
              name="type"
              label={fields.type}
              options={[
                ...choicesOf(upgradeTypes, upgradeTexts.types),
                { value: 'ALL', label: upgradeTexts.all },
              ]}
            />
          </>
        )}
        actions={adding.button}
        card={(task) => ({
          lead: `${task.equipTypeName} · ${goalOf(task)}`,
          aside: <TaskState task={task} />,
          second: task.upgradeTime,
          action: <UpgradeProgress counts={task.counts} />,
        })}
        onOpen={openRow}
        changedKeys={live.changedKeys}
        live={liveBar(live, { news: upgradeTexts.newTasks, stale: upgradeTexts.stale })}
        empty={adding.empty}
        emptyFiltered={upgradeTexts.emptyFiltered}
      />
      {adding.isOpen && <UpgradeTaskDialog onClose={adding.close} onAdded={(taskId) => openTask(taskId)} />}
      {file !== undefined && mayAdd && (
        <UpgradeTaskDialog
          key={file}
          file={file}
          onClose={() => setPlanned({}, { replace: true })}
          onAdded={(taskId) => openTask(taskId)}
        />
      )}
      {edited && <UpgradeTaskDialog key={edited.id} task={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
