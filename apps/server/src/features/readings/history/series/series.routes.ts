import { exportSeries, readSeries } from '@voltkeep/contract'
import type { Api } from '../../../../platform/http/mount.ts'
import type { SeriesService } from './series.service.ts'

export function mountSeries(api: Api, series: SeriesService): void {
  api.mount(readSeries, ({ actor, input }) => series.readSeries(actor, input))
  api.mount(exportSeries, ({ actor, input }) => series.exportSeries(actor, input))
}
