// What may be done with the alarms that are chosen in a list: buttons above it, the rest behind a menu.
import { EllipsisOutlined } from '@ant-design/icons'
import type { AlarmRow, listAlarms } from '@voltkeep/contract/alarms'
import type { ParsedInputFor } from '@voltkeep/contract/endpoint'
import { Button } from 'antd'
import { formatCount } from '../../../lib/format.ts'
import { askToConfirm } from '../../../ui/buttons/Confirmation.tsx'
import { iconButton } from '../../../ui/buttons/IconButton.tsx'
import { MenuButton, type MenuChoice } from '../../../ui/buttons/MenuButton.tsx'
import type { List } from '../../../ui/list/useList.ts'
import type { Selection } from '../../../ui/list/useSelection.ts'
import type { Deed } from './deeds.ts'
import { handleTexts } from './handle.texts.ts'
import type { Handled } from './handled.ts'
import { handledLimit, useHandling } from './useHandling.tsx'
import { useRights } from './useRights.ts'

/** A shelf is by what devices and alarms are, and never by when something happened or who has it. */
const ofShelves = new Set([
  'organizationId',
  'operatorId',
  'equipTypeId',
  'equipModelId',
  'regionCode',
  'semaphoreCode',
  'alarmLevel',
])
function canShelveAll({ status, isShelved, ...filter }: Partial<ParsedInputFor<typeof listAlarms>>): boolean {
  const named = Object.entries(filter).filter(([, value]) => value !== undefined)
  return status === '1' && isShelved !== '1' && named.length > 0 && named.every(([key]) => ofShelves.has(key))
}

/** What can be done about the selected alarms, and about all that match the list's filters. */
export function HandleChosen({
  list,
  total,
  selection,
}: {
  list: List<typeof listAlarms.input, AlarmRow>
  /** How many alarms match the filters now. */
  total: number
  selection: Selection<AlarmRow>
}) {
  const { mayAck, mayAssign, mayClose, mayShelve } = useRights()
  const { begin, dialog, isPending } = useHandling(
    () => {},
    () => {
      selection.clear()
      list.retry()
    },
  )
  const offered: Deed[] = [
    ...(mayAck ? (['ack', 'claim'] as const) : []),
    ...(mayClose ? (['close'] as const) : []),
    ...(mayAssign ? (['assign'] as const) : []),
    ...(mayShelve ? (['shelve'] as const) : []),
    ...(mayAck ? (['release', 'unack'] as const) : []),
  ]
  const [first, ...rest] = offered
  if (first === undefined) return null
  const chosen: Handled = { ids: selection.rows.map(({ id }) => id) }
  const { pageNum: _page, pageSize: _size, sortBy: _by, sortOrder: _order, ids, ...filter } = list.filters
  const hasAll = !ids && total > selection.rows.length && total <= handledLimit
  const all: Handled = { filter, count: total }
  /** Nobody sees all of them: what is done without a form is asked about. */
  const beginAll = async (deed: Deed) => {
    const count = formatCount(total)
    const isAsked = deed === 'close' || deed === 'assign' || deed === 'shelve'
    if (
      !isAsked &&
      !(await askToConfirm({
        title: handleTexts.allTitle(handleTexts.names[deed], count),
        body: handleTexts.allBody(count),
      }))
    )
      return
    begin(deed, all)
  }
  const choices: MenuChoice[] = [
    ...rest.map((deed) => ({
      key: deed,
      label: handleTexts.chosen(handleTexts.names[deed], formatCount(selection.rows.length)),
      onSelect: () => begin(deed, chosen),
    })),
    ...(hasAll
      ? offered
          .filter((deed) => deed !== 'shelve' || canShelveAll(filter))
          .map((deed) => ({
            key: `all-${deed}`,
            label: handleTexts.all(handleTexts.names[deed], formatCount(total)),
            onSelect: () => void beginAll(deed),
          }))
      : []),
  ]
  return (
    <>
      <Button loading={isPending} onClick={() => begin(first, chosen)}>
        {handleTexts.chosen(handleTexts.names[first], formatCount(selection.rows.length))}
      </Button>
      <MenuButton isFloating label={handleTexts.moreChosen} className={iconButton} choices={choices}>
        <EllipsisOutlined aria-hidden="true" />
      </MenuButton>
      {dialog}
    </>
  )
}
