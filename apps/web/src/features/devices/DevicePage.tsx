import { lazy, Suspense } from 'react'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import { DeviceList } from './DeviceList.tsx'

const DeviceView = lazy(() => import('./detail/DeviceView.tsx'))

/** Devices: the list, or one device by its id in the address. */
export default function DevicePage() {
  const { id } = useOpenRow()
  if (id === undefined) return <DeviceList />
  return (
    <Suspense fallback={<Waiting isPage />}>
      <DeviceView id={id} />
    </Suspense>
  )
}
