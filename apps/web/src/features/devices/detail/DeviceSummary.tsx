import { EnvironmentOutlined } from '@ant-design/icons'
import { businessStatusNames, type DeviceRow } from '@voltkeep/contract/devices'
import styles from '../devices.module.css'
import { deviceTexts } from '../devices.texts.ts'
import { mapAddress } from './device.figures.ts'

const { detail } = deviceTexts

/** Where the device stands, whose it is, and since when it is online or offline. */
export function DeviceSummary({ device }: { device: DeviceRow }) {
  const { regionName, address, operatorName, isOnline, onlineChangedTime, businessStatus } = device
  return (
    <section className={styles.place}>
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
