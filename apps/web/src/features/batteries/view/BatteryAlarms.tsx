import { useQuery } from '@tanstack/react-query'
import { listBatteryAlarms, staysWithAlarms } from '@voltkeep/contract/batteries'
import { useCurrentUser } from '../../../lib/session.ts'
import { texts } from '../../../lib/texts/index.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { DeviceCode } from '../../../ui/DeviceCode.tsx'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { WatchPart } from '../../../ui/work/WatchPage.tsx'
import styles from '../batteries.module.css'
import { batteryTexts } from '../batteries.texts.ts'

const { battery: words } = batteryTexts

/** The alarms of the compartments in which the battery was, while it was there. */
export function BatteryAlarms({ code }: { code: string }) {
  const isSeen = useCurrentUser().functionCodes.includes(listBatteryAlarms.access)
  const { data, error, refetch } = useQuery({
    ...reading(listBatteryAlarms, { code }),
    enabled: isSeen,
    retry: false,
    meta: { isQuiet: true },
  })
  if (!isSeen) return null
  return (
    <WatchPart
      title={words.alarms}
      aside={<span className={styles.quiet}>{words.alarmsHint(staysWithAlarms)}</span>}
    >
      {error && (
        <p className={styles.quiet} role="alert">
          {error.message}{' '}
          <button type="button" className="link-button" onClick={() => void refetch()}>
            {texts.list.retry}
          </button>
        </p>
      )}
      {data?.length === 0 && <p className={styles.quiet}>{words.noAlarms}</p>}
      {data && data.length > 0 && (
        <ul className={styles.alarms}>
          {data.map(({ id, level, name, deviceCode, deviceId, compartment, startTime, endTime }) => (
            <li key={id} className={styles.alarm}>
              <LevelTag level={level} />
              <PageLink
                page="maintenance/exitWarning"
                search={{ tab: 'history', open: id, at: startTime }}
                className="tap"
              >
                {name}
              </PageLink>
              <span>
                <DeviceCode code={deviceCode} id={deviceId} /> {batteryTexts.compartment(compartment)}
              </span>
              <span className={styles.alarmTimes}>
                {startTime} – {endTime ?? words.active}
              </span>
            </li>
          ))}
        </ul>
      )}
    </WatchPart>
  )
}
