import { readActiveLevels, readOverview } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { OverviewService } from './overview.service.ts'

export function mountOverview(api: Api, overview: OverviewService): void {
  api.mount(readActiveLevels, ({ actor }) => overview.readActiveLevels(actor))
  api.mount(readOverview, ({ actor }) => overview.readOverview(actor))
}
