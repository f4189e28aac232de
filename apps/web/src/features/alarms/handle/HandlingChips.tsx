import { type AlarmHandling, type AlarmRow, handlingNames, type listAlarms } from '@voltkeep/contract/alarms'
import type { List } from '../../../ui/list/useList.ts'
import { alarmTexts } from '../alarms.texts.ts'
import chips from '../LevelChips.module.css'

const { handle } = alarmTexts
const shown = ['unacknowledged', 'inProgress'] as const satisfies readonly AlarmHandling[]

/** Mine, and how far people are: beside the levels, and pressed together with them. */
export function HandlingChips({ list }: { list: List<typeof listAlarms.input, AlarmRow> }) {
  const { handling = [], assigneeId } = list.filters
  const isMine = assigneeId === 'me'
  const toggle = (one: AlarmHandling) => {
    const next = handling.includes(one) ? handling.filter((each) => each !== one) : [...handling, one]
    list.apply({ ...list.filters, handling: next.length > 0 ? next : undefined })
  }
  return (
    <fieldset className={chips.chips}>
      <legend className="visually-hidden">{handle.state}</legend>
      <button
        type="button"
        className={chips.chip}
        aria-pressed={isMine}
        onClick={() => list.apply({ ...list.filters, assigneeId: isMine ? undefined : 'me' })}
      >
        {handle.mine}
      </button>
      {shown.map((one) => (
        <button
          key={one}
          type="button"
          className={chips.chip}
          aria-pressed={handling.includes(one)}
          onClick={() => toggle(one)}
        >
          {handlingNames[one]}
        </button>
      ))}
    </fieldset>
  )
}
