// The list of upgrade tasks.
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
import { Button } from 'antd'
import { useState } from 'react'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { AddButton, emptyList } from '../../ui/buttons/adding.tsx'
import { DeleteButton } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { EquipTypeFilter, PartTypeFilter } from '../../ui/choices/filters.tsx'
import { openedFrom } from '../../ui/detail/useWalk.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { type LiveListOptions, useLiveList } from '../../ui/list/useLiveList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { TaskState } from './StateTag.tsx'
import { UpgradeProgress } from './UpgradeProgress.tsx'
import { useOpenTask } from './upgrades.page.ts'
import { upgradeTexts } from './upgrades.texts.ts'
import { goalOf } from './upgrades.words.ts'

const UpgradeTaskDialog = lazyDialog(() => import('./form/UpgradeTaskDialog.tsx'))

const { fields, remove } = upgradeTexts

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
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<UpgradeTaskRow>()
  const mayAdd = usePermission(insertUpgradeTask.access)
  const deleting = useWriting(deleteUpgradeTask, [listUpgradeTasks], { said: remove.done })

  const actions = (task: UpgradeTaskRow) => (
    <RowActions
      more={
        task.state === 'planned' && (
          <Permitted code={deleteUpgradeTask.access}>
            <DeleteButton
              words={remove}
              asks={[remove.ask(`${task.equipTypeName} ${goalOf(task)}`), remove.warn]}
              onConfirm={() => deleting.mutateAsync({ id: task.id })}
            />
          </Permitted>
        )
      }
    >
      <Button type="link" size="small" onClick={() => openRow(task)}>
        {upgradeTexts.view}
      </Button>
      {task.state === 'planned' && (
        <Permitted code={updateUpgradeTask.access}>
          <Button type="link" size="small" onClick={() => setEdited(task)}>
            {upgradeTexts.edit}
          </Button>
        </Permitted>
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
    {
      key: 'type',
      title: fields.equipType,
      maxWidth: 120,
      render: ({ equipTypeName }) => <span title={equipTypeName}>{equipTypeName}</span>,
    },
    {
      key: 'part',
      title: fields.partTypes,
      maxWidth: 160,
      render: ({ partTypeName }) => <span title={partTypeName}>{partTypeName}</span>,
    },
    {
      key: 'version',
      title: fields.version,
      maxWidth: 120,
      render: ({ version }) => (
        <span className="mono" title={version}>
          {version}
        </span>
      ),
    },
    {
      key: 'progress',
      title: fields.progress,
      width: 200,
      render: ({ counts }) => <UpgradeProgress counts={counts} />,
    },
    { key: 'upgradeTime', title: fields.upgradeTime, width: 168, render: ({ upgradeTime }) => upgradeTime },
    {
      key: 'remark',
      title: fields.remark,
      maxWidth: 180,
      render: ({ remark, stopNote }) => {
        const shown = stopNote ?? remark
        return shown ? <span title={shown}>{shown}</span> : <Nothing />
      },
    },
    { key: 'createBy', title: fields.createBy, maxWidth: 120, render: ({ createBy }) => createBy },
    { key: 'operation', title: texts.list.operation, width: 136, fixed: 'right', render: actions },
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={upgradeTexts.measure}
        list={{ ...list, rows: live.rows }}
        columns={columns}
        keyOf={({ id }) => id}
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
              placeholder={texts.list.all}
              options={upgradeStatuses.map((status) => ({
                value: status,
                label: upgradeTexts.statuses[status],
              }))}
            />
            <ChoiceFilter
              of={draft}
              name="type"
              label={fields.type}
              options={[
                ...upgradeTypes.map((type) => ({ value: type, label: upgradeTexts.types[type] })),
                { value: 'ALL', label: upgradeTexts.all },
              ]}
            />
          </>
        )}
        actions={
          <AddButton code={insertUpgradeTask.access} onClick={() => setAdding(true)}>
            {upgradeTexts.add}
          </AddButton>
        }
        card={(task) => ({
          lead: `${task.equipTypeName} · ${goalOf(task)}`,
          aside: <TaskState task={task} />,
          second: task.upgradeTime,
          action: <UpgradeProgress counts={task.counts} />,
        })}
        onOpen={openRow}
        changedKeys={live.changedKeys}
        live={{
          count: live.waitingCount || (live.isStale ? 1 : 0),
          text: (count) => (live.waitingCount > 0 ? upgradeTexts.newTasks(count) : upgradeTexts.stale),
          onShow: live.show,
        }}
        empty={emptyList(
          upgradeTexts.empty,
          mayAdd && { hint: upgradeTexts.emptyHint, onAdd: () => setAdding(true) },
        )}
        emptyFiltered={upgradeTexts.emptyFiltered}
      />
      {isAdding && <UpgradeTaskDialog onClose={() => setAdding(false)} onAdded={(id) => openTask(id)} />}
      {edited && <UpgradeTaskDialog key={edited.id} task={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
