import { type DeviceRow, throttleReasons } from '@voltkeep/contract/devices'
import styles from './devices.module.css'
import { deviceTexts } from './devices.texts.ts'

/** 限流: the server throttles the device. The tooltip says since when and why. */
export function ThrottleTag({ device }: { device: DeviceRow }) {
  const line = throttleLine(device)
  if (line === null) return null
  return (
    <span className={styles.throttled} title={line}>
      {deviceTexts.throttle.tag}
    </span>
  )
}

/** Since when and why; null where the device is not throttled. */
function throttleLine({ throttledSince, throttleReason }: DeviceRow): string | null {
  if (throttledSince === null || throttleReason === null) return null
  return deviceTexts.throttle.line(throttledSince, throttleReasons[throttleReason])
}
