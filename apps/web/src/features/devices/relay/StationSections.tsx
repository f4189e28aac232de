// What the page of a charging station has beside that of other devices.
import type { DeviceRow } from '@voltkeep/contract/devices'
import { RelaySection } from './RelaySection.tsx'
import { StationKey } from './StationKey.tsx'

export default function StationSections({ device }: { device: Pick<DeviceRow, 'id' | 'code'> }) {
  return (
    <>
      <StationKey device={device} />
      <RelaySection device={device} />
    </>
  )
}
