// The panel of one event, beside its list.
import { useQuery } from '@tanstack/react-query'
import { type EventRow, readEvent } from '@voltkeep/contract/events'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import { ReportingDevice } from '../../ui/detail/ReportingDevice.tsx'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { UnreadPanel } from '../../ui/detail/UnreadPanel.tsx'
import { FlagTag } from '../../ui/marks/FlagTag.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { EventValue } from './EventValue.tsx'
import styles from './events.module.css'
import { eventTexts } from './events.texts.ts'

const { fields } = eventTexts
const shared = texts.fields

/** One event with the raw data that the device sent. */
export function EventDetail({
  id,
  at,
  rows,
  onOpen,
  onClose,
}: {
  id: string
  /** The occurrence time, where the address contains it. */
  at: string | undefined
  /** The rows of the list beside the panel; its steps go through them. */
  rows: readonly EventRow[]
  onOpen: (event: EventRow) => void
  onClose: () => void
}) {
  const query = useQuery({
    ...reading(readEvent, { id, occurrenceTime: at }),
    // The list's row is shown until the answer arrives.
    placeholderData: rows.find((row) => row.id === id),
    retry: false,
    // The error is shown in the panel. An event never changes, so a shown one stays valid.
    meta: { isQuiet: true },
  })
  const event = query.isError ? undefined : query.data
  if (!event)
    return (
      <UnreadPanel
        title={eventTexts.detail.title}
        notFound={eventTexts.detail.notFound}
        query={query}
        onClose={onClose}
      />
    )
  const data = Object.entries(event.data ?? {})
  return (
    <DetailPanel
      title={event.semaphoreName}
      tags={<FlagTag flag={event.flag} />}
      steps={stepsFrom(rows, id, onOpen)}
      of={id}
      onClose={onClose}
    >
      <DetailSection title={eventTexts.detail.title}>
        <Facts
          facts={[
            [shared.occurrenceTime, <RelativeTime key="time" time={event.occurrenceTime} />],
            [fields.value, <EventValue key="value" of={event} />],
            [shared.semaphoreCode, <CopyText key="code" text={event.semaphoreCode} />],
          ]}
        />
      </DetailSection>
      <DetailSection
        title={fields.data}
        aside={data.length > 0 ? <CopyText text={JSON.stringify(event.data)}>JSON</CopyText> : undefined}
      >
        {data.length === 0 ? (
          <p className={styles.nothing}>{eventTexts.noData}</p>
        ) : (
          <dl className={styles.data}>
            {data.map(([key, value]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </DetailSection>
      <ReportingDevice of={event} />
    </DetailPanel>
  )
}
