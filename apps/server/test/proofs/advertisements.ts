import type { Page } from 'playwright-core'
import { patiently } from '../../../../e2e/patiently.ts'
import { bands } from '../../../../e2e/pictures.ts'
import { asItIs, openFirst, press, pressFirst, pressInDetail } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { ownOnly, type Reference } from '../references.ts'

const advertisement: Reference = { to: 'advertisement', input: ({ adId }) => ({ adId }) }
const advertisementId: Reference = { to: 'advertisement', input: ({ adId }) => ({ id: adId }) }
const sharePicture = async (page: Page) => {
  await pressInDetail('分享')(page)
  await page.getByRole('dialog').getByRole('button', { name: '生成链接' }).click()
  await page.getByRole('img', { name: '分享链接二维码' }).waitFor(patiently)
}

export const proofs: NounProofs = {
  references: {
    listAdvertisements: [{ to: 'advertisement by ids', input: ({ adId }) => ({ ids: [adId] }) }],
    uploadAdvertisementFile: ownOnly,
    createAdvertisement:
      'names devices by a choice that reaches the scope alone, and another advertisement: its own tests',
    previewDeliveries: 'names devices by a choice that reaches the scope alone: its own tests',
    exportLeftOutOfAdvertisement:
      'names devices by the choice that previewDeliveries counts, which is within the scope: its own tests',
    endAdvertisement: [advertisementId],
    deleteAdvertisement: [advertisementId],
    previewAdvertisement: [advertisement],
    listDeliveries: [advertisement],
    listFailureReasons: [advertisement],
    shareAdvertisement: [advertisementId],
    retryDeliveries: [advertisementId],
  },
  scope: {
    listAdvertisements: {
      model: 'of organizations and not of devices; its own tests count its cabinets in a narrower scope',
    },
    listDeliveries: {
      model: 'of one advertisement each; its own tests list them in a narrower scope',
      isFoundAnyway: true,
    },
  },
  versions: {
    uploadAdvertisementFile: 'adds a file',
    createAdvertisement: 'adds an advertisement',
    endAdvertisement: 'ends it at once, whatever a form has read; an ended one is refused',
    retryDeliveries:
      'has the same effect however often it is asked; nothing that a form has read is overwritten',
    shareAdvertisement: 'changes nothing: signs an address',
  },
  screens: [
    [
      '/maintenance/advertise',
      {
        advertisements: asItIs,
        'one advertisement': openFirst,
        'the sharing of a picture': sharePicture,
        'the form of an advertisement': pressFirst('发布广告'),
      },
    ],
  ],
  forms: {
    'a new advertisement': {
      of: 'advertisements/AdvertisementDialog',
      path: '/maintenance/advertise',
      open: press('发布广告'),
      file: { name: '春节.png', mimeType: 'image/png', buffer: bands() },
      problems: ['请输入广告名称', '请选择开始时间', '请选择结束时间'],
      typed: { 开始时间: '2030-01-01 00:00:00', 结束时间: '2030-12-31 00:00:00' },
      sends: 'ad/create',
    },
  },
  additions: {
    previewDeliveries: reasons.before,
    exportLeftOutOfAdvertisement: reasons.sheet,
    endAdvertisement: reasons.controlled,
    shareAdvertisement: reasons.publicPages,
    listDeliveries: reasons.controlled,
    listFailureReasons: reasons.controlled,
    retryDeliveries: reasons.controlled,
  },
}
