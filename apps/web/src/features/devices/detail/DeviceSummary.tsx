import { EnvironmentOutlined } from '@ant-design/icons'
import { businessStatusNames, type DeviceDetail, type DeviceRow } from '@voltkeep/contract/devices'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import styles from '../devices.module.css'
import { deviceTexts } from '../devices.texts.ts'
import { figureOf, mapAddress } from './device.figures.ts'

const { detail } = deviceTexts

/** Name, place, and since when the device is online or offline. */
export function DeviceSummary({ device }: { device: DeviceRow }) {
  const { name, code, regionName, address, operatorName, isOnline, onlineChangedTime, businessStatus } =
    device
  return (
    <section className={styles.place}>
      <span className={styles.placeName}>{name ?? code}</span>
      {address ? (
        <a
          href={mapAddress(regionName, address)}
          target="_blank"
          rel="noopener noreferrer"
          title={deviceTexts.map}
        >
          <EnvironmentOutlined aria-hidden="true" /> {regionName.split(' / ').slice(-2).join(' ')} {address}
        </a>
      ) : (
        <span>{regionName}</span>
      )}
      <span>{operatorName}</span>
      <span className={styles.quiet}>
        {onlineChangedTime === null
          ? detail.never
          : isOnline
            ? detail.online(onlineChangedTime)
            : detail.offline(onlineChangedTime)}
      </span>
      {businessStatus !== 1 && <span>{businessStatusNames[businessStatus]}</span>}
    </section>
  )
}

/** The figures of the last status report, each with its unit. */
export function Figures({ device }: { device: DeviceDetail }) {
  return (
    <DetailSection
      title={detail.status}
      aside={device.statusTime && <RelativeTime time={device.statusTime} isShort />}
    >
      {device.status.length === 0 ? (
        <p className={styles.quiet}>{detail.noStatus}</p>
      ) : (
        <dl className={styles.strip} aria-label={deviceTexts.figures}>
          {device.status.map(figureOf).map(({ name, value, unit }) => (
            <div key={name} className={styles.figure}>
              <dt title={name}>{name}</dt>
              <dd>
                {value}
                {unit && <span className={styles.unit}>{unit}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </DetailSection>
  )
}
