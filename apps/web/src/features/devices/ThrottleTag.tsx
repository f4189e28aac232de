import { type DeviceRow, throttleReasons } from '@voltkeep/contract/devices'
import { Tag } from 'antd'
import { deviceTexts } from './devices.texts.ts'

/** 限流: the server throttles the device. The tooltip says since when and why. */
export function ThrottleTag({ device }: { device: DeviceRow }) {
  const line = throttleLine(device)
  if (line === null) return null
  return (
    <Tag color="warning" title={line}>
      {deviceTexts.throttle.tag}
    </Tag>
  )
}

/** Since when and why; null where the device is not throttled. */
function throttleLine({ throttledSince, throttleReason }: DeviceRow): string | null {
  if (throttledSince === null || throttleReason === null) return null
  return deviceTexts.throttle.line(throttledSince, throttleReasons[throttleReason])
}
