import {
  createAdvertisement,
  deleteAdvertisement,
  endAdvertisement,
  exportLeftOutOfAdvertisement,
  listAdvertisements,
  listDeliveries,
  listFailureReasons,
  previewAdvertisement,
  previewDeliveries,
  retryDeliveries,
  shareAdvertisement,
  uploadAdvertisementFile,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Advertisements } from './advertisements.service.ts'

export function mountAdvertisements(api: Api, advertisements: Advertisements): void {
  api.mount(listAdvertisements, ({ actor, input }) => advertisements.listAdvertisements(actor, input))
  api.mount(uploadAdvertisementFile, ({ input }) => advertisements.uploadAdvertisementFile(input.file))
  api.mount(previewDeliveries, ({ actor, input }) => advertisements.previewDeliveries(actor, input))
  api.mount(exportLeftOutOfAdvertisement, ({ actor, input }) =>
    advertisements.exportLeftOutOfAdvertisement(actor, input),
  )
  api.mount(createAdvertisement, ({ actor, input }) => advertisements.createAdvertisement(actor, input))
  api.mount(endAdvertisement, ({ actor, input }) => advertisements.endAdvertisement(actor, input.id))
  api.mount(deleteAdvertisement, ({ actor, input }) => advertisements.deleteAdvertisement(actor, input.id))
  api.mount(previewAdvertisement, ({ actor, input }) =>
    advertisements.previewAdvertisement(actor, input.adId),
  )
  api.mount(listDeliveries, ({ actor, input }) => advertisements.listDeliveries(actor, input))
  api.mount(listFailureReasons, ({ actor, input }) => advertisements.listFailureReasons(actor, input.adId))
  api.mount(shareAdvertisement, ({ actor, input }) => advertisements.shareAdvertisement(actor, input))
  api.mount(retryDeliveries, ({ actor, input }) => advertisements.retryDeliveries(actor, input))
}
