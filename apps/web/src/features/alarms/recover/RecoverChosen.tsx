import { recoveredAtOnce } from '@voltkeep/contract/alarmRecovery'
import type { AlarmRow, listAlarms } from '@voltkeep/contract/alarms'
import { Button } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import type { List } from '../../../ui/list/useList.ts'
import type { Selection } from '../../../ui/list/useSelection.ts'
import { recoverTexts } from './recover.texts.ts'
import type { RecoveredAlarms } from './recoveries.ts'

const RecoverManyDialog = lazyDialog(() => import('./RecoverManyDialog.tsx'))

/** The actions on selected alarms: recover these, or all that match the list's filters. */
export function RecoverChosen({
  list,
  total,
  selection,
  rows,
}: {
  list: List<typeof listAlarms.input, AlarmRow>
  /** How many alarms match the filters now. */
  total: number
  selection: Selection<AlarmRow>
  /** The page's rows in their present state. */
  rows: readonly AlarmRow[]
}) {
  const [asked, setAsked] = useState<'chosen' | 'all'>()
  const isOver = new Set(rows.filter(({ status }) => status === 0).map(({ id }) => id))
  const chosen = selection.rows.filter(({ id, status }) => status === 1 && !isOver.has(id))
  const hasAll = list.filters.status === '1' && !list.filters.ids && total > chosen.length
  const isTooMany = total > recoveredAtOnce
  const alarms: RecoveredAlarms =
    asked === 'chosen' ? { ids: chosen.map(({ id }) => id) } : narrowingOf(list.filters)
  return (
    <>
      <Button type="primary" disabled={chosen.length === 0} onClick={() => setAsked('chosen')}>
        {recoverTexts.chosen(formatCount(chosen.length))}
      </Button>
      {hasAll && (
        <Button
          disabled={isTooMany}
          title={isTooMany ? recoverTexts.allLimit(formatCount(recoveredAtOnce)) : undefined}
          onClick={() => setAsked('all')}
        >
          {recoverTexts.all(formatCount(total))}
        </Button>
      )}
      {asked && (
        <RecoverManyDialog
          alarms={alarms}
          count={asked === 'chosen' ? chosen.length : total}
          onDone={selection.clear}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

function narrowingOf({
  pageNum: _page,
  pageSize: _size,
  sortBy: _by,
  sortOrder: _order,
  status: _status,
  ...narrowing
}: List<typeof listAlarms.input, AlarmRow>['filters']): RecoveredAlarms {
  // Without a filter all of them are meant, which the dialog asks about.
  return Object.values(narrowing).some((value) => value !== undefined) ? narrowing : { isAll: 1 }
}
