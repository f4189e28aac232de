import { exportBatterySeries, exportSeries, readBatterySeries, readSeries } from '@voltkeep/contract'
import type { Api } from '../../../../platform/http/mount.ts'
import type { BatterySeriesService } from './battery-series.service.ts'
import type { SeriesService } from './series.service.ts'

export function mountSeries(api: Api, series: SeriesService, batteries: BatterySeriesService): void {
  api.mount(readSeries, ({ actor, input }) => series.readSeries(actor, input))
  api.mount(exportSeries, ({ actor, input }) => series.exportSeries(actor, input))
  api.mount(readBatterySeries, ({ actor, input }) => batteries.readBatterySeries(actor, input))
  api.mount(exportBatterySeries, ({ actor, input }) => batteries.exportBatterySeries(actor, input))
}
