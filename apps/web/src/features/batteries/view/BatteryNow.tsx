import type { readBattery } from '@voltkeep/contract/batteries'
import type { DataFor } from '@voltkeep/contract/endpoint'
import { DeviceCode } from '../../../ui/DeviceCode.tsx'
import { Facts } from '../../../ui/detail/DetailPanel.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { WatchNote, WatchPart } from '../../../ui/work/WatchPage.tsx'
import { Charge } from '../BatteryState.tsx'
import styles from '../batteries.module.css'
import { batteryTexts } from '../batteries.texts.ts'

const { battery: words, fields } = batteryTexts
type Battery = DataFor<typeof readBattery>

/** Where it is, or was last seen, with its newest figures. */
export function BatteryNow({ battery }: { battery: Battery }) {
  return (
    <WatchPart title={words.now}>
      <Facts
        facts={[
          [
            fields.device,
            <DeviceCode
              key="device"
              code={battery.deviceCode}
              id={battery.deviceId}
              isOnline={battery.isOnline}
            />,
          ],
          [fields.compartment, batteryTexts.compartment(battery.compartment)],
          [fields.soc, <Charge key="soc" value={battery.soc} />],
          [fields.soh, battery.soh === null ? null : batteryTexts.percent(Math.round(battery.soh))],
          [
            fields.temperature,
            battery.temperature === null ? null : batteryTexts.degrees(battery.temperature),
          ],
          [fields.operator, battery.operatorName],
          [fields.region, battery.regionName],
          [fields.since, <RelativeTime key="since" time={battery.startTime} />],
          battery.endTime === null
            ? [fields.seen, <RelativeTime key="seen" time={battery.seenTime} />]
            : [fields.endTime, <RelativeTime key="end" time={battery.endTime} />],
          [fields.found, battery.foundTime],
        ]}
      />
    </WatchPart>
  )
}

/** The compartments that claim it at the same time. */
export function Claims({ claims }: Pick<Battery, 'claims'>) {
  if (claims.length === 0) return null
  return (
    <WatchNote role="status">
      {batteryTexts.conflictNote}{' '}
      <span className={styles.claims}>
        {claims.map(({ deviceId, deviceCode, compartment, startTime }) => (
          <span key={`${deviceId} ${compartment}`}>
            <DeviceCode code={deviceCode} id={deviceId} /> {batteryTexts.claim(compartment, startTime)}
          </span>
        ))}
      </span>
    </WatchNote>
  )
}
