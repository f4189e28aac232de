// The section of an alarm's panel that says who was told.
import { useQuery } from '@tanstack/react-query'
import { type AlarmRow, liveAlarms } from '@voltkeep/contract/alarms'
import { type AlarmNotice, listAlarmNotices } from '@voltkeep/contract/notifications'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { StateTag } from '../../../ui/work/StateTag.tsx'
import styles from '../handle/handle.module.css'
import { alarmNoticeTexts } from './alarmNotices.texts.ts'

const words = alarmNoticeTexts

const looks = {
  queued: 'waiting',
  sending: 'sent',
  delivered: 'done',
  retrying: 'paused',
  givenUp: 'failed',
} as const

/** What is under way ends within seconds, and no notice says so. */
const lookAgainMs = 5_000
const isUnderWay = ({ state }: AlarmNotice) =>
  state === 'queued' || state === 'sending' || state === 'retrying'

/** Who was told of an alarm, when, and what the provider said, oldest first. */
export default function AlarmNotices({ alarm: { id } }: { alarm: AlarmRow }) {
  const notices = useQuery({
    ...reading(listAlarmNotices, { id }),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? lookAgainMs : false),
    retry: false,
    meta: { isQuiet: true },
  })
  useLiveReading(notices.refetch, (event) => concerns(event, liveAlarms.noun, id))
  const rows = notices.data ?? []
  return (
    <DetailSection title={words.title} aside={rows.length > 0 ? words.count(rows.length) : undefined}>
      {notices.isError && <p className={styles.moment}>{notices.error.message}</p>}
      {notices.isSuccess && rows.length === 0 && <p className={styles.moment}>{words.none}</p>}
      <ol className={styles.actions}>
        {rows.map((notice, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: notices are added at the end, and none moves
          <li key={at} className={styles.action}>
            <span className={styles.moment}>{notice.sentTime ?? notice.createTime}</span>
            <span>
              {words.events[notice.event]} {receiverOf(notice)}
            </span>
            <StateTag state={looks[notice.state]}>{words.states[notice.state]}</StateTag>
            <span className={styles.note}>{resultOf(notice)}</span>
          </li>
        ))}
      </ol>
    </DetailSection>
  )
}

function receiverOf({ kind, channelName, userName }: AlarmNotice): string {
  if (kind === null) return words.unknownChannel
  if (channelName === null) return words.otherOrganization(words.kinds[kind])
  return userName === null ? channelName : `${userName}（${channelName}）`
}

function resultOf(notice: AlarmNotice): string | null {
  const { state, attempts, providerCode, providerMessage, nextTime, isPassedOn, isFallback } = notice
  const parts = [
    ...(isFallback ? [words.fallback] : []),
    ...(attempts > 1 ? [words.attempts(attempts)] : []),
    ...(providerCode !== null && providerMessage !== null
      ? [words.result(providerCode, providerMessage)]
      : []),
    ...(nextTime !== null && state !== 'delivered' ? [words.due(nextTime)] : []),
    ...(isPassedOn ? [words.passedOn] : []),
  ]
  return parts.length > 0 ? parts.join('，') : null
}
