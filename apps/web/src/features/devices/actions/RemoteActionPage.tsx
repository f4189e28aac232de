// The record of remote actions on all devices of the reader's scope.
import {
  listRemoteActions,
  liveRemoteActions,
  type RemoteActionRow,
  remoteActionStates,
  remoteActions,
} from '@voltkeep/contract/actions'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { usePage } from '../../../lib/pages.ts'
import { CopyText } from '../../../ui/CopyText.tsx'
import { choicesOf } from '../../../ui/choices/choicesOf.ts'
import { MoreFilters } from '../../../ui/choices/filters.tsx'
import { DeviceCode } from '../../../ui/DeviceCode.tsx'
import { DetailPanel, DetailSection, Facts } from '../../../ui/detail/DetailPanel.tsx'
import { stepsFrom } from '../../../ui/detail/steps.tsx'
import { useOpenRow } from '../../../ui/detail/useOpenRow.ts'
import { CodesFilter } from '../../../ui/list/CodesFilter.tsx'
import type { Column } from '../../../ui/list/DataTable.tsx'
import { ChoiceFilter, RangeFilter, TextFilter } from '../../../ui/list/filters.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { textColumn, timeColumn } from '../../../ui/list/plainColumns.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { ActionState } from './ActionState.tsx'
import { actionTexts } from './actions.texts.ts'
import { titleOf } from './actions.words.ts'

const { fields } = actionTexts
const livePauseMs = 1_000
const times = ['startTime', 'endTime']

export default function RemoteActionPage() {
  const { title } = usePage()
  const list = useList(listRemoteActions)
  useLiveReading(list.retry, (event) => concerns(event, liveRemoteActions.noun), livePauseMs)
  const row = useOpenRow()
  const open = list.rows.find(({ id }) => id === row.id)

  const columns: Column<RemoteActionRow>[] = [
    {
      key: 'code',
      title: fields.device,
      width: 160,
      fixed: 'left',
      render: ({ equipCode, equipId }) => <DeviceCode code={equipCode} id={equipId} />,
    },
    {
      key: 'action',
      title: fields.action,
      width: 150,
      render: ({ action, compartment }) => titleOf(action, compartment),
    },
    { key: 'state', title: fields.state, width: 150, render: (each) => <ActionState of={each} /> },
    textColumn('note', fields.note, { maxWidth: 220 }),
    textColumn('reason', fields.reason, { maxWidth: 240 }),
    textColumn('batteryCode', fields.battery, { key: 'battery', isMono: true, maxWidth: 140 }),
    textColumn('createBy', fields.createBy, { maxWidth: 100 }),
    textColumn('approvedBy', fields.approvedBy, { maxWidth: 100 }),
    timeColumn('createTime', fields.createTime),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={actionTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <CodesFilter of={draft} label={fields.device} />
            <ChoiceFilter
              of={draft}
              name="actions"
              label={fields.action}
              isMultiple
              options={choicesOf(remoteActions, actionTexts.actions)}
            />
            <ChoiceFilter
              of={draft}
              name="states"
              label={fields.state}
              isMultiple
              options={choicesOf(remoteActionStates, actionTexts.states)}
            />
            <TextFilter of={draft} name="createBy" label={fields.createBy} />
            <MoreFilters of={draft} fields={times}>
              <RangeFilter of={draft} label={fields.createTime} />
            </MoreFilters>
          </>
        )}
        card={(each) => ({
          lead: (
            <>
              <span className="mono">{each.equipCode}</span> · {titleOf(each.action, each.compartment)}
            </>
          ),
          aside: <ActionState of={each} />,
          second: `${each.createTime} · ${each.createBy} · ${each.reason}`,
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        empty={{ title: actionTexts.none }}
        emptyFiltered={actionTexts.emptyFiltered}
      />
      {open && (
        <DetailPanel
          title={titleOf(open.action, open.compartment)}
          tags={<ActionState of={open} />}
          steps={stepsFrom(list.rows, open.id, ({ id }) => row.open(id))}
          of={open.id}
          onClose={row.close}
        >
          <DetailSection title={actionTexts.title}>
            <Facts
              facts={[
                [fields.device, <DeviceCode key="device" code={open.equipCode} id={open.equipId} />],
                [fields.battery, open.batteryCode && <CopyText key="battery" text={open.batteryCode} />],
                [fields.reason, open.reason],
                [fields.note, open.note],
                [fields.createBy, open.createBy],
                [fields.approvedBy, open.approvedBy],
                [fields.from, <CopyText key="from" text={open.address} />],
                [fields.createTime, open.createTime],
                [fields.answerTime, open.answerTime],
                [fields.confirmTime, open.confirmTime],
              ]}
            />
          </DetailSection>
        </DetailPanel>
      )}
    </>
  )
}
