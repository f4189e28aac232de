// The list of parameter batches.
import { EllipsisOutlined } from '@ant-design/icons'
import {
  exportFailedBatchDevices,
  insertParameterBatch,
  listParameterBatches,
  liveParameterBatches,
  type ParameterBatchRow,
  parameterBatchStates,
} from '@voltkeep/contract/parameterBatches'
import { Button } from 'antd'
import { useState } from 'react'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { AddButton, emptyList } from '../../ui/buttons/adding.tsx'
import { MenuButton } from '../../ui/buttons/MenuButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { openedFrom } from '../../ui/detail/useWalk.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { type Column, indexColumn } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, RangeFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { type LiveListOptions, useLiveList } from '../../ui/list/useLiveList.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { BatchActionButton } from './BatchActionButton.tsx'
import { BatchProgress } from './BatchProgress.tsx'
import { ParametersDialog } from './ParametersDialog.tsx'
import styles from './parameterBatches.module.css'
import { useOpenBatch } from './parameterBatches.page.ts'
import { batchTexts } from './parameterBatches.texts.ts'
import { parametersLine } from './parameterBatches.words.ts'
import { BatchState } from './StateTag.tsx'
import { useBatchActions } from './useBatchActions.tsx'

const BatchDialog = lazyDialog(() => import('./form/BatchDialog.tsx'))

const { fields } = batchTexts

const liveOptions: LiveListOptions<ParameterBatchRow> = {
  // A visible batch that ends stays in the list.
  anyState: {},
  isChanged: (before, after) => before.state !== after.state,
}

/** All batches, the newest first. */
export function BatchList() {
  const { title } = usePage()
  const list = useList(listParameterBatches)
  const live = useLiveList(list, liveParameterBatches, liveOptions)
  const openBatch = useOpenBatch()
  const actionsOf = useBatchActions()
  const [isAdding, setAdding] = useState(false)
  const [shown, setShown] = useState<ParameterBatchRow>()
  const mayAdd = usePermission(insertParameterBatch.access)
  const mayExport = usePermission(exportFailedBatchDevices.access)

  const renderActions = (batch: ParameterBatchRow) => {
    const actions = actionsOf(batch)
    const exporting = actions.find(({ key }) => key === 'export')
    const others = actions.filter(({ key }) => key !== 'export')
    return (
      <RowActions>
        <Button type="link" size="small" onClick={() => openBatch(batch.id, 'log', openedFrom(live.rows))}>
          {batchTexts.log}
        </Button>
        {exporting && <BatchActionButton action={exporting} type="link" size="small" />}
        {others.length > 0 && (
          <MenuButton
            isFloating
            label={batchTexts.moreOf(batch.code)}
            className={styles.more}
            choices={others.map(({ key, label, isDanger, act }) => ({
              key,
              label: isDanger ? <span className={styles.failed}>{label}</span> : label,
              onSelect: () => void act(),
            }))}
          >
            <EllipsisOutlined />
          </MenuButton>
        )}
      </RowActions>
    )
  }
  const columns: Column<ParameterBatchRow>[] = [
    indexColumn(list),
    {
      key: 'code',
      title: fields.code,
      fixed: 'left',
      render: ({ code }) => <CopyText text={code} />,
    },
    { key: 'createTime', title: fields.createTime, width: 168, render: ({ createTime }) => createTime },
    {
      key: 'param',
      title: fields.parameters,
      maxWidth: 230,
      render: (batch) => (
        <span className={styles.parameters}>
          <span className={styles.cut} title={parametersLine(batch)}>
            {parametersLine(batch)}
          </span>
          <Button type="link" size="small" onClick={() => setShown(batch)}>
            {batchTexts.view}
          </Button>
        </span>
      ),
    },
    { key: 'state', title: fields.state, width: 92, render: (batch) => <BatchState batch={batch} /> },
    {
      key: 'progress',
      title: fields.progress,
      width: 168,
      render: ({ counts }) => <BatchProgress counts={counts} />,
    },
    {
      key: 'createBy',
      title: fields.createBy,
      maxWidth: 110,
      render: ({ createBy }) => <span title={createBy}>{createBy}</span>,
    },
    {
      key: 'operation',
      title: texts.list.operation,
      width: mayExport ? 196 : 112,
      fixed: 'right',
      render: renderActions,
    },
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={batchTexts.measure}
        list={{ ...list, rows: live.rows }}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <RangeFilter of={draft} label={fields.createTime} />
            <TextFilter of={draft} name="code" label={fields.code} />
            <ChoiceFilter
              of={draft}
              name="state"
              label={fields.state}
              placeholder={texts.list.all}
              options={parameterBatchStates.map((state) => ({
                value: state,
                label: batchTexts.batchStates[state],
              }))}
            />
          </>
        )}
        actions={
          <AddButton code={insertParameterBatch.access} onClick={() => setAdding(true)}>
            {batchTexts.addShort}
          </AddButton>
        }
        card={(batch) => ({
          lead: (
            <>
              <span className="mono">{batch.code}</span>
              <span className={styles.cardTime}>
                <RelativeTime time={batch.createTime} isShort />
              </span>
            </>
          ),
          aside: <BatchState batch={batch} />,
          second: parametersLine(batch),
          action: <BatchProgress counts={batch.counts} />,
        })}
        onOpen={({ id }) => openBatch(id, 'devices', openedFrom(live.rows))}
        changedKeys={live.changedKeys}
        live={{
          count: live.waitingCount || (live.isStale ? 1 : 0),
          text: (count) => (live.waitingCount > 0 ? batchTexts.newBatches(count) : batchTexts.stale),
          onShow: live.show,
        }}
        empty={emptyList(
          batchTexts.empty,
          mayAdd && { hint: batchTexts.emptyHint, onAdd: () => setAdding(true) },
        )}
        emptyFiltered={batchTexts.emptyFiltered}
      />
      {shown && <ParametersDialog batch={shown} onClose={() => setShown(undefined)} />}
      {isAdding && <BatchDialog onClose={() => setAdding(false)} onAdded={(id) => openBatch(id)} />}
    </>
  )
}
