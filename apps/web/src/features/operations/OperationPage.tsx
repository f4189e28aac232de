// The operation log; the last 30 days unless a range is chosen.
import { exportOperations, listOperations, type OperationRow } from '@voltkeep/contract/operations'
import { usePage } from '../../lib/pages.ts'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { ChoiceFilter, RangeFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useLastMonth } from '../../ui/list/useLastMonth.ts'
import { useList } from '../../ui/list/useList.ts'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { OperationDetail } from './OperationDetail.tsx'
import { operationTexts } from './operations.texts.ts'
import { Result } from './Result.tsx'
import { whoDid } from './whoDid.ts'

const { fields } = operationTexts

export default function OperationPage() {
  const { title } = usePage()
  const list = useList(listOperations, { assumed: useLastMonth() })
  const row = useOpenRow()
  const open = list.rows.find(({ id }) => id === row.id)

  const columns: Column<OperationRow>[] = [
    {
      key: 'time',
      title: fields.time,
      sortBy: 'time',
      width: 226,
      render: ({ time }) => <RelativeTime time={time} />,
    },
    {
      key: 'user',
      title: fields.user,
      maxWidth: 200,
      render: (operation) => <span title={whoDid(operation)}>{whoDid(operation)}</span>,
    },
    textColumn('summary', fields.call, { key: 'call', maxWidth: 180 }),
    textColumn('target', fields.target, { maxWidth: 320 }),
    { key: 'result', title: fields.result, width: 104, render: (operation) => <Result of={operation} /> },
    textColumn('message', fields.message, { maxWidth: 280 }),
    textColumn('address', fields.address, { isMono: true }),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={operationTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <RangeFilter of={draft} label={fields.range} hasTime />
            <TextFilter of={draft} name="user" label={fields.user} placeholder={fields.userHint} />
            <TextFilter of={draft} name="call" label={fields.call} placeholder={fields.callHint} />
            <TextFilter of={draft} name="target" label={fields.target} />
            <ChoiceFilter
              of={draft}
              name="isOk"
              label={fields.result}
              options={[1, 0].map((value) => ({ value, label: operationTexts.results[value] }))}
            />
            <TextFilter of={draft} name="address" label={fields.address} />
          </>
        )}
        actions={
          <ExportButton endpoint={exportOperations} filters={list.filters} isDisabled={list.total === 0} />
        }
        card={(operation) => ({
          lead: operation.summary,
          aside: <RelativeTime time={operation.time} isShort />,
          second: [whoDid(operation), operation.target].filter(Boolean).join(' · '),
          action: <Result of={operation} />,
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        empty={{ title: operationTexts.empty }}
        emptyFiltered={operationTexts.emptyFiltered}
      />
      {open && (
        <OperationDetail
          operation={open}
          steps={stepsFrom(list.rows, open.id, ({ id }) => row.open(id))}
          onClose={row.close}
        />
      )}
    </>
  )
}
