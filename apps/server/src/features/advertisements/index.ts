import { liveDeliveries } from '@voltkeep/contract'
import { tellsRows } from '../../domain/device-work/notices.ts'
import { feature } from '../../platform/feature.ts'
import { isStillFor } from './advertisements.deciders.ts'
import { createReportWriter } from './advertisements.intake.ts'
import { deliveriesChanged } from './advertisements.notices.ts'
import { createAdvertisementQueue, createDeliveryQueue } from './advertisements.queue.ts'
import { mountAdvertisements } from './advertisements.routes.ts'
import { advertisementSeeds } from './advertisements.seeds.ts'
import { createAdvertisements } from './advertisements.service.ts'
import { eventOf, eventOfLate } from './deliveries.results.ts'
import { deliveries, type MovingDelivery } from './deliveries.work.ts'

export type { SharedPictures } from './shared-pictures.ts'

/** Advertisements for the screens of cabinets, and how far each cabinet is with each of them. */
export const advertisements = feature({
  name: 'advertisements',
  tables: ['advertisement', 'advertisement_delivery'],
  notices: [deliveriesChanged],
  seeds: advertisementSeeds,
  create({ db, pool, log, notices, commands, files }) {
    const tellIds = tellsRows(notices, deliveriesChanged)
    const tellChanged = (changed: readonly Pick<MovingDelivery, 'id'>[]) =>
      tellIds(changed.map(({ id }) => id))
    const service = createAdvertisements({ db, files, commands, tellChanged })
    return {
      service,
      mount: (api) => mountAdvertisements(api, service),
      async offers(fileId, deviceCode) {
        return deviceCode !== null && (await isStillFor(db, deviceCode, fileId))
          ? { functionCodes: [] }
          : null
      },
      live: [deliveries.live(liveDeliveries, { db, notices }, { changed: deliveriesChanged })],
      writers: { advertisement: createReportWriter(tellChanged) },
      commandResults: {
        advertise: deliveries.results(tellChanged, eventOf, { lateOf: eventOfLate }),
        withdraw: deliveries.results(tellChanged, eventOf),
      },
      workers: [
        createDeliveryQueue({ pool, notices, log, commands, files, tellChanged }),
        createAdvertisementQueue({ pool, notices, log, commands, files, tellChanged }),
      ],
    }
  },
})
