// One device beside the list: overview, parts, parameters, panel, timeline.
import { useQuery } from '@tanstack/react-query'
import { listAlarms } from '@voltkeep/contract/alarms'
import {
  businessStatusNames,
  type DeviceDetail as Device,
  type DeviceRow,
  readDevice,
} from '@voltkeep/contract/devices'
import { parameterOf } from '@voltkeep/contract/parameters'
import * as z from 'zod/mini'
import { connectionOf } from '../../../lib/browser/connection.ts'
import { narrowQuery, useMedia } from '../../../lib/browser/media.ts'
import { formatCount, formatDuration } from '../../../lib/format.ts'
import { useCurrentUser } from '../../../lib/session.ts'
import { useUrlState } from '../../../lib/urlState.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { CopyText } from '../../../ui/CopyText.tsx'
import { useEnum } from '../../../ui/choices/choices.ts'
import { DetailPanel, DetailSection, Facts } from '../../../ui/detail/DetailPanel.tsx'
import type { Steps } from '../../../ui/detail/steps.tsx'
import { UnreadPanel } from '../../../ui/detail/UnreadPanel.tsx'
import { type Column, DataTable } from '../../../ui/list/DataTable.tsx'
import { textColumn } from '../../../ui/list/plainColumns.tsx'
import { TableBox } from '../../../ui/list/TableBox.tsx'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { OnlineTag } from '../../../ui/marks/OnlineTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { CabinetPanel } from '../cabinet/CabinetPanel.tsx'
import { Compartments } from '../cabinet/Compartments.tsx'
import { drawnCompartments } from '../cabinet/compartments.ts'
import { DeviceActions, type DeviceActionsProps } from '../DeviceActions.tsx'
import styles from '../devices.module.css'
import { deviceTexts } from '../devices.texts.ts'
import { ThrottleTag } from '../ThrottleTag.tsx'
import { useLiveDevice } from '../useLiveDevices.ts'
import { DeviceSummary, Figures } from './DeviceSummary.tsx'
import { DeviceTimeline } from './DeviceTimeline.tsx'
import { Versions } from './DeviceVersions.tsx'
import { meaningOf } from './devices.parameters.ts'

const { detail, fields } = deviceTexts
/** Above this offset of the device's clock, the times of its alarms are misleading. */
const clockToleranceMs = 5 * 60_000
/** Covers all compartments of a cabinet. */
const alarmsShown = 50

/** The open view. It is part of the address so that links include it. */
const ViewSearch = z.object({ view: z._default(z.enum(['overview', 'cabinet']), 'overview') })
const classifyOfCabinets = 'EC'

/** One device: its place and status, active alarms, timeline and software versions. */
export function DeviceDetail({
  id,
  known,
  steps,
  onClose,
  ...actions
}: {
  id: string
  /** The device's row in the list, shown until the answer arrives. */
  known?: DeviceRow | undefined
  /** Steps to the previous and next device of the list. */
  steps: Steps
  onClose: () => void
} & Pick<DeviceActionsProps, 'onEdit' | 'onSecret'>) {
  const query = useQuery({ ...reading(readDevice, { id }), retry: false, meta: { isQuiet: 'first' } })
  const [{ view }, setView] = useUrlState(ViewSearch)
  const device = query.data
  if (!device && known && !query.error) {
    return (
      <DetailPanel
        title={<CopyText text={known.code} />}
        tags={<OnlineTag isOnline={connectionOf(known)} />}
        steps={steps}
        of={id}
        onClose={onClose}
      >
        <DeviceSummary device={known} />
      </DetailPanel>
    )
  }
  // On a phone, the head has no room beside a long code.
  if (!device)
    return (
      <UnreadPanel title={deviceTexts.title} notFound={detail.notFound} query={query} onClose={onClose} />
    )
  const hasPanel =
    device.equipClassify === classifyOfCabinets || device.parameters.some(({ id }) => parameterOf(id))
  return (
    <DetailPanel
      title={<CopyText text={device.code} />}
      tags={
        <>
          <OnlineTag isOnline={connectionOf(device)} />
          <ThrottleTag device={device} />
        </>
      }
      actions={<DeviceActions key={id} device={device} {...actions} onDeleted={onClose} />}
      steps={steps}
      of={id}
      onClose={onClose}
    >
      {hasPanel && (
        <div className={styles.views}>
          <Tabs
            label={deviceTexts.cabinet.views}
            active={view}
            onChange={(next) => setView({ view: next }, { replace: true })}
            tabs={[
              { key: 'overview', title: deviceTexts.cabinet.overview },
              { key: 'cabinet', title: deviceTexts.cabinet.title },
            ]}
          />
        </div>
      )}
      {hasPanel && view === 'cabinet' ? (
        <LiveCabinet device={device} />
      ) : (
        <>
          <DeviceSummary device={device} />
          <Figures device={device} />
          <ActiveAlarms device={device} />
          <DeviceTimeline id={device.id} />
          <Versions versions={device.equipSoftwareVersions} />
          <Connection device={device} />
          <Info device={device} />
          <Parameters device={device} />
        </>
      )}
    </DetailPanel>
  )
}

function LiveCabinet({ device }: { device: Device }) {
  useLiveDevice(device.id, () => undefined)
  return <CabinetPanel device={device} />
}

function ActiveAlarms({ device }: { device: Device }) {
  // Alarms belong to another page: the user's functions decide, not those of this page.
  const mayRead = useCurrentUser().functionCodes.includes(listAlarms.access)
  const alarms = useQuery({
    ...reading(listAlarms, { equipId: device.id, pageNum: 1, pageSize: alarmsShown }),
    enabled: mayRead,
    meta: { isQuiet: true },
  })
  useLiveDevice(device.id, () => void alarms.refetch())
  if (!mayRead) return null
  const { rows = [], total = 0 } = alarms.data ?? {}
  const compartments = drawnCompartments(device, rows)
  return (
    <DetailSection
      title={detail.alarms}
      aside={
        <span className={styles.links}>
          {total > rows.length && (
            <PageLink page="maintenance/exitWarning" search={{ code: device.code }}>
              {detail.moreAlarms(formatCount(total))}
            </PageLink>
          )}
          <PageLink page="maintenance/exitWarning" search={{ tab: 'history', code: device.code }}>
            {detail.history}
          </PageLink>
        </span>
      }
    >
      {alarms.isError && <p className={styles.quiet}>{alarms.error.message}</p>}
      {alarms.isSuccess && rows.length === 0 && compartments.length === 0 && (
        <p className={styles.quiet}>{detail.noAlarms}</p>
      )}
      {compartments.length > 0 && <Compartments code={device.code} of={compartments} />}
      <ul className={styles.list}>
        {rows.map((alarm) => (
          <li key={alarm.id}>
            <PageLink
              page="maintenance/exitWarning"
              search={{ code: device.code, open: alarm.id, at: alarm.occurrenceTime }}
              className={styles.alarm}
            >
              <LevelTag level={alarm.alarmLevel} />
              <span className={styles.name}>
                {alarm.semaphoreName}
                {alarm.meaning && <span className={styles.quiet}> · {alarm.meaning}</span>}
              </span>
              <span className={styles.quiet}>
                <RelativeTime time={alarm.occurrenceTime} isShort />
              </span>
            </PageLink>
          </li>
        ))}
      </ul>
    </DetailSection>
  )
}

function Info({ device }: { device: Device }) {
  return (
    <DetailSection title={detail.info}>
      <Facts
        facts={[
          [fields.businessStatus, businessStatusNames[device.businessStatus]],
          [fields.organization, device.organizationName],
          [fields.operator, device.operatorName],
          [fields.type, device.equipTypeName],
          [fields.model, device.equipModelName],
          [fields.region, device.regionName],
          [fields.createTime, device.createTime],
        ]}
      />
    </DetailSection>
  )
}

function Connection({ device }: { device: Device }) {
  const { isOnline, onlineChangedTime, clockOffsetMs } = device
  const isClockWrong = clockOffsetMs !== null && Math.abs(clockOffsetMs) > clockToleranceMs
  return (
    <DetailSection
      title={detail.connection}
      aside={
        <span className={styles.links}>
          <PageLink page="maintenance/logextract" search={{ code: device.code }}>
            {detail.extractLog}
          </PageLink>
          <PageLink page="equipment/intake" search={{ code: device.code }}>
            {detail.refusals}
          </PageLink>
        </span>
      }
    >
      <Facts
        facts={[
          [
            fields.state,
            onlineChangedTime === null
              ? detail.never
              : isOnline
                ? detail.online(onlineChangedTime)
                : detail.offline(onlineChangedTime),
          ],
          [fields.updateTime, <RelativeTime key="update" time={device.updateTime} />],
          [
            detail.connectedFrom,
            device.connectedFrom && <CopyText key="address" text={device.connectedFrom} />,
          ],
          [detail.clock, clockWords(clockOffsetMs)],
        ]}
      />
      {isClockWrong && (
        <p className={styles.warning} role="alert">
          {detail.clockWarning}
        </p>
      )}
    </DetailSection>
  )
}

/** The clock's offset in words from one minute on; null below. */
function clockWords(offsetMs: number | null): string | null {
  if (offsetMs === null) return null
  if (Math.abs(offsetMs) < 60_000) return detail.clockRight
  const duration = formatDuration(Math.abs(offsetMs))
  return offsetMs > 0 ? detail.clockAhead(duration) : detail.clockBehind(duration)
}

type Parameter = Device['parameters'][number] & { meaning: string | undefined }

const parameterColumns: Column<Parameter>[] = [
  textColumn('name', detail.columns.name),
  textColumn('id', detail.columns.id, { isMono: true }),
  { key: 'value', title: detail.columns.value, maxWidth: 200, render: (each) => <Value of={each} /> },
  {
    key: 'time',
    title: detail.columns.time,
    render: ({ reportTime }) => <RelativeTime time={reportTime} isShort />,
  },
]

/** The reported value with its meaning in the dictionary. */
function Value({ of: { value, meaning } }: { of: Parameter }) {
  return (
    <CopyText text={value}>
      {value}
      {meaning && <span className={styles.meaning}>{meaning}</span>}
    </CopyText>
  )
}

function Parameters({ device }: { device: Device }) {
  const isNarrow = useMedia(narrowQuery)
  const entries = useEnum('PARAM').data
  const lamps = useEnum('LAMP_CODE').data
  const lampNames = new Map((lamps ?? []).map(({ code, name }) => [code, name]))
  const parameters = device.parameters.map((parameter) => {
    const note = entries?.find(({ code }) => code === parameter.id)?.note
    return { ...parameter, meaning: meaningOf(parameter, { note, lampNames }) }
  })
  return (
    <DetailSection title={detail.parameters}>
      {device.parameters.length === 0 ? (
        <p className={styles.quiet}>{detail.noParameters}</p>
      ) : (
        <details className={styles.folded}>
          <summary>{detail.parameterCount(formatCount(parameters.length))}</summary>
          <TableBox>
            <DataTable
              label={detail.parameters}
              columns={parameterColumns}
              rows={parameters}
              keyOf={({ id }) => id}
              isNarrow={isNarrow}
              card={({ id, name, reportTime, ...value }) => ({
                lead: name,
                aside: <RelativeTime time={reportTime} isShort />,
                second: <Value of={{ id, name, reportTime, ...value }} />,
                action: <span className="mono">{id}</span>,
              })}
            />
          </TableBox>
        </details>
      )}
    </DetailSection>
  )
}
