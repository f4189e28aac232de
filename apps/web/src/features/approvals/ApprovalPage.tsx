// Deeds that wait for a second person: those that the reader may decide on, and those that the reader asked for.

import {
  type ApprovalRow,
  agreeApproval,
  approvalStates,
  listApprovals,
  liveApprovals,
  withdrawApproval,
} from '@voltkeep/contract/approvals'
import { Button } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { usePage } from '../../lib/pages.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { ConfirmButton } from '../../ui/buttons/ConfirmButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn, textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { WorkState } from '../../ui/work/StateTag.tsx'
import { stale } from './approvals.api.ts'
import { approvalTexts } from './approvals.texts.ts'

const { fields, ask } = approvalTexts
const livePauseMs = 1_000
const RefuseDialog = lazyDialog(() => import('./RefuseDialog.tsx'))

export default function ApprovalPage() {
  const { title } = usePage()
  const list = useList(listApprovals)
  useLiveReading(list.retry, (event) => concerns(event, liveApprovals.noun), livePauseMs)
  const row = useOpenRow()
  const open = list.rows.find(({ id }) => id === row.id)
  const [refused, setRefused] = useState<ApprovalRow>()
  const actions = (each: ApprovalRow) => <Decide of={each} onRefuse={() => setRefused(each)} />

  const columns: Column<ApprovalRow>[] = [
    { key: 'subject', title: fields.subject, maxWidth: 340, fixed: 'left', render: ({ subject }) => subject },
    {
      key: 'causes',
      title: fields.causes,
      width: 150,
      render: ({ causes }) => causes.map((cause) => approvalTexts.causes[cause]).join('、'),
    },
    {
      key: 'state',
      title: fields.state,
      width: 100,
      render: ({ state }) => <WorkState state={markOf(state)} words={wordsOf(state)} />,
    },
    textColumn('createBy', fields.createBy, { maxWidth: 120 }),
    {
      key: 'time',
      title: fields.createTime,
      width: 226,
      render: ({ createTime }) => <RelativeTime time={createTime} />,
    },
    textColumn('decideBy', fields.decideBy, { maxWidth: 120 }),
    textColumn('note', fields.note, { maxWidth: 240 }),
    operationColumn(130, actions),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={approvalTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <ChoiceFilter
            of={draft}
            name="states"
            label={fields.state}
            isMultiple
            options={choicesOf(approvalStates, approvalTexts.states)}
          />
        )}
        card={(each) => ({
          lead: each.subject,
          aside: <WorkState state={markOf(each.state)} words={wordsOf(each.state)} />,
          second: `${each.createBy} · ${each.createTime}`,
          action: actions(each),
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        empty={{ title: approvalTexts.none, hint: approvalTexts.noneHint }}
        emptyFiltered={approvalTexts.emptyFiltered}
      />
      {open && (
        <DetailPanel
          title={open.subject}
          tags={<WorkState state={markOf(open.state)} words={wordsOf(open.state)} />}
          actions={actions(open)}
          steps={stepsFrom(list.rows, open.id, ({ id }) => row.open(id))}
          of={open.id}
          onClose={row.close}
        >
          <DetailSection title={approvalTexts.title}>
            <Facts
              facts={[
                ...open.details.map(({ name, value }) => [name, value] as const),
                [fields.causes, open.causes.map((cause) => approvalTexts.causes[cause]).join('、')],
                [fields.deviceCount, approvalTexts.devices(formatCount(open.deviceCount))],
                [fields.createBy, open.createBy],
                [fields.createTime, open.createTime],
                [fields.expireTime, open.expireTime],
                [fields.decideBy, open.decideBy],
                [fields.decideTime, open.decideTime],
                [fields.note, open.note],
              ]}
            />
          </DetailSection>
        </DetailPanel>
      )}
      {refused && <RefuseDialog approval={refused} onClose={() => setRefused(undefined)} />}
    </>
  )
}

function Decide({ of: approval, onRefuse }: { of: ApprovalRow; onRefuse: () => void }) {
  const agreeing = useWriting(agreeApproval, stale)
  const withdrawing = useWriting(withdrawApproval, stale)
  const { id, subject, details, createBy, isOwn, mayDecide, state } = approval
  if (mayDecide)
    return (
      <RowActions>
        <ConfirmButton
          type="link"
          size="small"
          title={ask.agreeTitle}
          body={
            <>
              <p>{subject}</p>
              {details.map(({ name, value }) => (
                <p key={`${name} ${value}`}>
                  {name}：{value}
                </p>
              ))}
              <p>{ask.agreeBody(createBy)}</p>
            </>
          }
          confirmLabel={approvalTexts.agree}
          onConfirm={() => agreeing.mutateAsync({ id })}
        >
          {approvalTexts.agree}
        </ConfirmButton>
        <Button
          type="link"
          size="small"
          onClick={(event) => {
            event.stopPropagation()
            onRefuse()
          }}
        >
          {approvalTexts.refuse}
        </Button>
      </RowActions>
    )
  if (isOwn && state === 'waiting')
    return (
      <ConfirmButton
        type="link"
        size="small"
        title={ask.withdrawTitle}
        body={
          <>
            <p>{subject}</p>
            <p>{ask.withdrawBody}</p>
          </>
        }
        confirmLabel={approvalTexts.withdraw}
        onConfirm={() => withdrawing.mutateAsync({ id })}
      >
        {approvalTexts.withdraw}
      </ConfirmButton>
    )
  return null
}

const marks: Readonly<Record<ApprovalRow['state'], string>> = {
  waiting: 'paused',
  agreed: 'done',
  refused: 'refused',
  expired: 'over',
  void: 'over',
  withdrawn: 'over',
}
const markOf = (state: ApprovalRow['state']) => marks[state]
const wordsOf = (state: ApprovalRow['state']) => ({ [markOf(state)]: approvalTexts.states[state] })
