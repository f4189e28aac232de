// The page of one device: overview, parts, parameters, panel, timeline.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  businessStatusNames,
  type DeviceDetail as Device,
  listDevices,
  readDevice,
} from '@voltkeep/contract/devices'
import { lackOf } from '@voltkeep/contract/lackedAbilities'
import { parameterOf } from '@voltkeep/contract/parameters'
import { lazy, Suspense } from 'react'
import * as z from 'zod/mini'
import { connectionOf } from '../../../lib/browser/connection.ts'
import { narrowQuery, useMedia } from '../../../lib/browser/media.ts'
import { useDetailTitle } from '../../../lib/browser/title.ts'
import { formatCount, formatDuration } from '../../../lib/format.ts'
import { useUrlState } from '../../../lib/urlState.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { CopyText } from '../../../ui/CopyText.tsx'
import { useEnum } from '../../../ui/choices/choices.ts'
import { DetailSection, Facts } from '../../../ui/detail/DetailPanel.tsx'
import { useListBehind, useWalk } from '../../../ui/detail/useWalk.ts'
import { type Column, DataTable } from '../../../ui/list/DataTable.tsx'
import { textColumn } from '../../../ui/list/plainColumns.tsx'
import { TableBox } from '../../../ui/list/TableBox.tsx'
import { OnlineTag } from '../../../ui/marks/OnlineTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { Waiting } from '../../../ui/Waiting.tsx'
import { WatchPage } from '../../../ui/work/WatchPage.tsx'
import { CompartmentActions } from '../actions/DeviceRemoteActions.tsx'
import { Cabinet } from '../cabinet/Cabinet.tsx'
import { CabinetPanel } from '../cabinet/CabinetPanel.tsx'
import { useHasCompartments } from '../cabinet/useCabinet.ts'
import { DeviceActions } from '../DeviceActions.tsx'
import styles from '../devices.module.css'
import { devicesPage, useOpenDevice } from '../devices.page.ts'
import { deviceTexts } from '../devices.texts.ts'
import { ThrottleTag } from '../ThrottleTag.tsx'
import { useDeviceDialogs } from '../useDeviceDialogs.tsx'
import { useLiveDevice } from '../useLiveDevices.ts'
import { DeviceSummary } from './DeviceSummary.tsx'
import { DeviceTimeline } from './DeviceTimeline.tsx'
import { Versions } from './DeviceVersions.tsx'
import layout from './DeviceView.module.css'
import { meaningOf } from './devices.parameters.ts'
import { Readings } from './Readings.tsx'

const { detail, fields } = deviceTexts
const HistoryView = lazy(() => import('../history/HistoryView.tsx'))
const StationSections = lazy(() => import('../relay/StationSections.tsx'))

/** Above this offset of the device's clock, the times of its alarms are misleading. */
const clockToleranceMs = 5 * 60_000

/** The open view. It is part of the address so that links include it. */
const ViewSearch = z.object({ view: z._default(z.enum(['overview', 'history', 'cabinet']), 'overview') })
const classifyOfCabinets = 'EC'

/** The page of one device: what is wrong and how it stands first, what it is made of below. */
export default function DeviceView({ id }: { id: string }) {
  const query = useQuery({ ...reading(readDevice, { id }), retry: false, meta: { isQuiet: true } })
  const steps = useWalk(listDevices, id, useOpenDevice(), deviceTexts.measure)
  const { actions, dialogs } = useDeviceDialogs()
  const toList = useToList()
  const [{ view }, setView] = useUrlState(ViewSearch)
  useDetailTitle(query.data?.code ?? '')
  return (
    <>
      <WatchPage
        of={id}
        page={devicesPage}
        back={deviceTexts.list}
        steps={steps}
        query={query}
        notFound={detail.notFound}
        isOpenRow
        show={(device) => {
          const tabs = viewsOf(device)
          const shown = tabs.some(({ key }) => key === view) ? view : 'overview'
          return {
            title: device.name ?? device.code,
            label: device.code,
            tags: (
              <>
                {device.name && <CopyText text={device.code} />}
                <OnlineTag isOnline={connectionOf(device)} />
                <ThrottleTag device={device} />
              </>
            ),
            actions: <DeviceActions device={device} {...actions} onDeleted={toList} />,
            lead: <DeviceSummary device={device} />,
            parts: (
              <div className={layout.page}>
                <div className={styles.views}>
                  <Tabs
                    label={deviceTexts.cabinet.views}
                    active={shown}
                    onChange={(next) => setView({ view: next }, { replace: true })}
                    tabs={tabs}
                  />
                </div>
                {shown === 'cabinet' ? (
                  <LiveCabinet device={device} />
                ) : shown === 'history' ? (
                  <Suspense fallback={<Waiting />}>
                    <HistoryView device={device} />
                  </Suspense>
                ) : (
                  <Overview device={device} />
                )}
              </div>
            ),
          }
        }}
      />
      {dialogs}
    </>
  )
}

/** The way to the list after the device is deleted. */
function useToList(): () => void {
  const navigate = useNavigate()
  const list = useListBehind()
  return () => void navigate({ to: '.', search: list as never, replace: true })
}

const views = [
  { key: 'overview', title: deviceTexts.cabinet.overview },
  { key: 'history', title: deviceTexts.curves.title },
  { key: 'cabinet', title: deviceTexts.cabinet.title },
] as const

function viewsOf(device: Device) {
  const hasPanel =
    device.equipClassify === classifyOfCabinets || device.parameters.some(({ id }) => parameterOf(id))
  return views.filter(({ key }) => key !== 'cabinet' || hasPanel)
}

/** From here on the page has three columns; the registry's data then fill the second one. */
const wideQuery = '(width >= 1900px)'

function Overview({ device }: { device: Device }) {
  const isWide = useMedia(wideQuery)
  const hasBins = useHasCompartments(device)
  const info = (
    <div className={layout.rest}>
      <Connection device={device} />
      {device.protocol === 'ocpp16' && (
        <Suspense fallback={<Waiting />}>
          <StationSections device={device} />
        </Suspense>
      )}
      <Info device={device} />
    </div>
  )
  const readings = (
    <div className={layout.readings}>
      <Readings device={device} />
    </div>
  )
  return (
    <div className={layout.columns}>
      <div className={layout.left}>
        <Cabinet
          device={device}
          actionsOf={(bin) => <CompartmentActions device={device} compartment={bin} />}
        />
        {!hasBins && readings}
        <div className={layout.rest}>
          <Versions versions={device.equipSoftwareVersions} />
          <Parameters device={device} />
        </div>
        {!isWide && info}
      </div>
      <div className={layout.middle}>
        {hasBins && readings}
        {isWide && info}
      </div>
      <div className={layout.timeline}>
        <DeviceTimeline id={device.id} />
      </div>
    </div>
  )
}

function LiveCabinet({ device }: { device: Device }) {
  useLiveDevice(device.id, () => undefined)
  return <CabinetPanel device={device} />
}

function Info({ device }: { device: Device }) {
  return (
    <DetailSection title={detail.info}>
      <Facts
        facts={[
          [fields.businessStatus, businessStatusNames[device.businessStatus]],
          [fields.protocol, deviceTexts.spoken(device.speaks)],
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
          {lackOf(device.speaks, 'extractLog') === undefined ? (
            <PageLink page="maintenance/logextract" search={{ code: device.code }}>
              {detail.extractLog}
            </PageLink>
          ) : (
            <span className={styles.quiet}>{lackOf(device.speaks, 'extractLog')}</span>
          )}
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
        <p className={styles.quiet}>
          {lackOf({ lacks: device.speaks.lacks }, 'setParameters') ?? detail.noParameters}
        </p>
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
