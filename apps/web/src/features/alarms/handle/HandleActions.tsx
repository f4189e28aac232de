import { EllipsisOutlined } from '@ant-design/icons'
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { iconButton } from '../../../ui/buttons/IconButton.tsx'
import { MenuButton, type MenuChoice } from '../../../ui/buttons/MenuButton.tsx'
import { type Deed, deedsOf, isAtOnce } from './deeds.ts'
import { handleTexts } from './handle.texts.ts'
import { useHandling } from './useHandling.tsx'
import { useRights } from './useRights.ts'

/**
 * What the user may do about one alarm: the first thing as a button, the rest behind ⋯, around what else stands in the
 * row. The first is to say that it was seen; then to take it, then to close it. A panel has room for taking it at once.
 */
export function HandleActions({
  alarm,
  onHandled,
  isButton = false,
  also = [],
  children,
}: {
  /** Its present state. */
  alarm: AlarmRow
  /** Called with the alarm as it is afterwards. */
  onHandled: (alarm: AlarmRow) => void
  /** Renders a button; otherwise a link in a row. */
  isButton?: boolean
  /** Further choices behind ⋯, after what is done most. */
  also?: readonly MenuChoice[] | undefined
  children?: ReactNode
}) {
  const { begin, dialog, isPending } = useHandling(onHandled)
  const offered = deedsOf(alarm, useRights())
  const first = offered.find((deed) => deed === 'ack' || deed === 'claim' || deed === 'close')
  const takes = isButton && first === 'ack' && offered.includes('claim')
  const rest = offered.filter((deed) => deed !== first && !(takes && deed === 'claim'))
  const label = (deed: Deed) => (isAtOnce(deed) ? handleTexts.names[deed] : `${handleTexts.names[deed]}…`)
  const choices = [
    ...rest.map((deed) => ({ key: deed, label: label(deed), onSelect: () => begin(deed, { alarm }) })),
    ...also,
  ]
  return (
    <>
      {first &&
        (isButton ? (
          <Button type="primary" disabled={isPending} onClick={() => begin(first, { alarm })}>
            {handleTexts.names[first]}
          </Button>
        ) : (
          <button
            type="button"
            className="link-button"
            disabled={isPending}
            onClick={() => begin(first, { alarm })}
          >
            {handleTexts.names[first]}
          </button>
        ))}
      {takes && (
        <Button disabled={isPending} onClick={() => begin('claim', { alarm })}>
          {handleTexts.names.claim}
        </Button>
      )}
      {children}
      {choices.length > 0 && (
        <MenuButton
          isFloating
          label={handleTexts.more(alarm.code, alarm.semaphoreName)}
          className={iconButton}
          choices={choices}
        >
          <EllipsisOutlined aria-hidden="true" />
        </MenuButton>
      )}
      {dialog}
    </>
  )
}
