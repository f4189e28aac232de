import type { Page } from 'playwright-core'
import { patiently } from '../../../../e2e/patiently.ts'
import { asItIs, formOn, whenOpen } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceCode, deviceIds, equipId, operator, organization } from '../references.ts'
import { ofDevices } from '../scope-models.ts'

const openFirstDialog = async (page: Page) => {
  await page.locator('[data-key]').first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor(patiently)
}

export const proofs: NounProofs = {
  references: {
    listDeviceVersions: [organization(), operator(), deviceCode, deviceIds],
    exportUnmatchedVersions: [organization(), operator(), deviceCode, deviceIds],
    listDevicesByPartType: [
      { to: 'device by code', input: (named) => ({ code: named.deviceCode, partType: 'PART_TYPE_EC_BIN' }) },
    ],
    listDevicesByBoard: [
      { to: 'device by code', input: (named) => ({ code: named.deviceCode, pcbCode: 'PCB-1' }) },
    ],
    readUpgradeRate: [organization(), operator()],
    readDeviceVersions: [equipId],
    readPartVersions: [equipId],
  },
  scope: {
    listDeviceVersions: { model: ofDevices },
    listDevicesByPartType: {
      model: 'the list of device versions, narrowed to those that report a part',
      asked: { partType: 'PART_TYPE_EC_BIN' },
    },
    listDevicesByBoard: {
      model: 'the list of device versions, narrowed to those with a board',
      asked: { pcbCode: 'PCB-1' },
    },
  },
  screens: [
    ['/upgrade/version', { 'versions by device': asItIs, 'the versions of one device': openFirstDialog }],
  ],
  forms: {
    'the upgrade of one device': {
      of: 'deviceVersions/UpgradeDevicesDialog',
      path: '/upgrade/version?code=EC',
      open: async (page) => {
        if (!(await formOn(page).isVisible())) {
          await page.locator('[data-key]').filter({ hasText: '主控 1.4' }).first().focus()
          await page.keyboard.press('Enter')
          await whenOpen(page)
        }
        await formOn(page).getByRole('button', { name: '升级' }).first().click()
        await page.getByRole('dialog', { name: '立即升级' }).waitFor(patiently)
      },
      problems: [],
      complete: (form) => form.getByLabel('备注').fill('先升级一台'),
      sends: 'equip/version/remote/upgrade',
    },
  },
  additions: {
    exportUnmatchedVersions: reasons.sheet,
  },
}
