import { PackageListPage } from './PackageListPage.tsx'
import { softwareVersionView } from './packageViews.ts'

/** Software versions by type of equipment and part. */
export default function SoftwareVersionPage() {
  return <PackageListPage view={softwareVersionView} leads="equipType" />
}
