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
import { useState } from 'react'
import { usePage } from '../../lib/pages.ts'
import { useAdding } from '../../ui/buttons/adding.tsx'
import { MenuButton } from '../../ui/buttons/MenuButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { openedFrom } from '../../ui/detail/useWalk.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { type Column, indexColumn } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, RangeFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { liveBar } from '../../ui/list/LiveBar.tsx'
import { operationColumn, textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
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
  const adding = useAdding(insertParameterBatch, { ...batchTexts, add: batchTexts.addShort })
  const [shown, setShown] = useState<ParameterBatchRow>()
  const mayExport = usePermission(exportFailedBatchDevices.access)

  const renderActions = (batch: ParameterBatchRow) => {
    const actions = actionsOf(batch)
    const exporting = actions.find(({ key }) => key === 'export')
    const others = actions.filter(({ key }) => key !== 'export')
    return (
      <RowActions>
        <RowButton onClick={() => openBatch(batch.id, 'log', openedFrom(live.rows))}>
          {batchTexts.log}
        </RowButton>
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
    textColumn('name', fields.name, { maxWidth: 180 }),
    timeColumn('createTime', fields.createTime),
    {
      key: 'param',
      title: fields.parameters,
      maxWidth: 230,
      render: (batch) => (
        <span className={styles.parameters}>
          <span className={styles.cut} title={parametersLine(batch)}>
            {parametersLine(batch)}
          </span>
          <RowButton onClick={() => setShown(batch)}>{batchTexts.view}</RowButton>
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
    textColumn('createBy', fields.createBy, { maxWidth: 110 }),
    operationColumn(mayExport ? 196 : 112, renderActions),
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
            <TextFilter of={draft} name="code" label={fields.code} />
            <TextFilter of={draft} name="name" label={fields.name} />
            <ChoiceFilter
              of={draft}
              name="state"
              label={fields.state}
              isMultiple
              options={choicesOf(parameterBatchStates, batchTexts.batchStates)}
            />
            <RangeFilter of={draft} label={fields.createTime} hasPresets={false} />
          </>
        )}
        actions={adding.button}
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
          second: [...(batch.name === null ? [] : [batch.name]), parametersLine(batch)].join(' · '),
          action: <BatchProgress counts={batch.counts} />,
        })}
        onOpen={({ id }) => openBatch(id, 'devices', openedFrom(live.rows))}
        changedKeys={live.changedKeys}
        live={liveBar(live, { news: batchTexts.newBatches, stale: batchTexts.stale })}
        empty={adding.empty}
        emptyFiltered={batchTexts.emptyFiltered}
      />
      {shown && <ParametersDialog batch={shown} onClose={() => setShown(undefined)} />}
      {adding.isOpen && <BatchDialog onClose={adding.close} onAdded={(id) => openBatch(id)} />}
    </>
  )
}
