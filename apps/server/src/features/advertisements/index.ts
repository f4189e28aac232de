import { feature } from '../../platform/feature.ts'
import { isStillFor } from './advertisements.deciders.ts'
import { createReportWriter } from './advertisements.intake.ts'
import { createLiveDeliveries } from './advertisements.live.ts'
import { deliveriesChanged } from './advertisements.notices.ts'
import { mountAdvertisements } from './advertisements.routes.ts'
import { advertisementSeeds } from './advertisements.seeds.ts'
import { createAdvertisements } from './advertisements.service.ts'
import { createAdvertisementQueues } from './advertisements.work.ts'
import type { MovingDelivery } from './deliveries.queries.ts'
import { createResultHandler } from './deliveries.results.ts'

export type { SharedPictures } from './advertisements.sharing.ts'

/** More than that at once are not worth naming one by one. */
const namedDeliveries = 500

/** Advertisements for the screens of cabinets, and how far each cabinet is with each of them. */
export const advertisements = feature({
  name: 'advertisements',
  tables: ['advertisement', 'advertisement_delivery'],
  notices: [deliveriesChanged],
  seeds: advertisementSeeds,
  create({ db, pool, log, notices, commands, files }) {
    const tellChanged = (deliveries: readonly Pick<MovingDelivery, 'id'>[]) => {
      if (deliveries.length === 0) return
      const ids = deliveries.length > namedDeliveries ? null : deliveries.map(({ id }) => id)
      notices.publish(deliveriesChanged, ids)
    }
    const service = createAdvertisements({ db, files, commands, tellChanged })
    return {
      service,
      mount: (api) => mountAdvertisements(api, service),
      async offers(fileId, deviceCode) {
        return deviceCode !== null && (await isStillFor(db, deviceCode, fileId))
          ? { functionCodes: [] }
          : null
      },
      live: [createLiveDeliveries({ db, notices })],
      writers: { advertisement: createReportWriter(tellChanged) },
      commandResults: {
        advertise: createResultHandler('advertise', tellChanged),
        withdraw: createResultHandler('withdraw', tellChanged),
      },
      workers: createAdvertisementQueues({ pool, notices, log, commands, files, tellChanged }),
    }
  },
})
