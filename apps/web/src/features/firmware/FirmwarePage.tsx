import { PackageListPage } from './PackageListPage.tsx'
import { firmwareView } from './packageViews.ts'

/** Firmware packages by board. */
export default function FirmwarePage() {
  return <PackageListPage view={firmwareView} leads="board" />
}
