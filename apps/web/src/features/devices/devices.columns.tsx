// The columns of the list of devices that are their own.
import { businessStatusNames, type DeviceRow } from '@voltkeep/contract/devices'
import { protocolNames } from '@voltkeep/contract/protocols'
import { connectionOf } from '../../lib/browser/connection.ts'
import { formatCount } from '../../lib/format.ts'
import { shortRegion } from '../../lib/regions.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { OnlineTag } from '../../ui/marks/OnlineTag.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import styles from './devices.module.css'
import { deviceTexts } from './devices.texts.ts'
import { ThrottleTag } from './ThrottleTag.tsx'

const { fields } = deviceTexts

/** What is asked of a device first, to its address, is in sight at 1440 px. */
export const deviceColumns: Column<DeviceRow>[] = [
  {
    key: 'code',
    title: fields.code,
    sortBy: 'code',
    sortFirst: 'asc',
    fixed: 'left',
    render: ({ code }) => <CopyText text={code} />,
  },
  {
    key: 'isOnline',
    title: fields.state,
    width: 80,
    render: (device) => (
      <>
        <OnlineTag isOnline={connectionOf(device)} /> <ThrottleTag device={device} />
      </>
    ),
  },
  {
    key: 'updateTime',
    title: fields.updateTime,
    width: 80,
    render: ({ updateTime }) => <RelativeTime time={updateTime} isShort />,
  },
  { key: 'alarms', title: fields.alarms, width: 148, render: (device) => <ActiveAlarms device={device} /> },
  {
    key: 'full',
    title: <span title={deviceTexts.fullTitle}>{fields.full}</span>,
    width: 84,
    align: 'right',
    render: ({ fullCount, usableCount }) =>
      fullCount === null || usableCount === null ? <Nothing /> : deviceTexts.fullOf(fullCount, usableCount),
  },
  textColumn('name', fields.name, { maxWidth: 172 }),
  {
    key: 'region',
    title: fields.region,
    maxWidth: 132,
    render: ({ regionName }) => <span title={regionName}>{shortRegion(regionName)}</span>,
  },
  textColumn('address', fields.address, { maxWidth: 180 }),
  {
    key: 'operator',
    title: fields.operator,
    maxWidth: 132,
    render: ({ operatorName, organizationName }) => (
      <span title={`${organizationName} / ${operatorName}`}>{operatorName}</span>
    ),
  },
  textColumn('equipModelName', fields.model, { key: 'model', maxWidth: 140 }),
  textColumn('equipTypeName', fields.type, { key: 'type' }),
  {
    key: 'businessStatus',
    title: fields.businessStatus,
    width: 84,
    render: ({ businessStatus }) => businessStatusNames[businessStatus],
  },
  {
    key: 'protocol',
    title: fields.protocol,
    width: 108,
    render: ({ protocol }) => protocolNames[protocol],
  },
]

const alarmPage = 'maintenance/exitWarning'

/** The number of alarms that stand with the most severe level, and apart of those kept quiet; each links to its alarms. */
export function ActiveAlarms({ device, isShort = false }: { device: DeviceRow; isShort?: boolean }) {
  const { alarmCount, worstAlarmLevel, shelvedCount, code } = device
  return (
    <span className={styles.alarms}>
      {alarmCount > 0 ? (
        <PageLink page={alarmPage} search={{ code }} className={styles.alarms}>
          {!isShort && <LevelTag level={worstAlarmLevel} />}
          <span>{deviceTexts.alarmCount(formatCount(alarmCount))}</span>
        </PageLink>
      ) : (
        !isShort && <span className={styles.quiet}>{deviceTexts.noAlarm}</span>
      )}
      {shelvedCount > 0 && (
        <PageLink
          page={alarmPage}
          search={{ tab: 'shelved', isShelved: '1', code }}
          className={styles.shelved}
        >
          {deviceTexts.shelvedCount(formatCount(shelvedCount))}
        </PageLink>
      )}
    </span>
  )
}
