// What is proved of batteries and stock by the tests that run over all nouns (noun-proofs.ts).
import type { Page } from 'playwright-core'
import { patiently } from '../../../../e2e/patiently.ts'
import { asItIs } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceCode, deviceIds, operator, organization, type Reference } from '../references.ts'
import { ofDevices } from '../scope-models.ts'

/** The battery that is in the device. */
const battery = (input: Reference['input']): Reference => ({ to: 'battery', input, isOfDevice: true })
const devicesNamed = [organization(), operator(), deviceCode, deviceIds]

const openBattery = async (page: Page) => {
  await page.locator('[data-key]').first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: '经过的换电柜' }).locator('[data-key]').first().waitFor(patiently)
}

export const proofs: NounProofs = {
  references: {
    listBatteries: [organization(), operator(), battery(({ batteryCode }) => ({ codes: [batteryCode] }))],
    exportBatteries: [organization(), operator(), battery(({ batteryCode }) => ({ codes: [batteryCode] }))],
    readBattery: [battery(({ batteryCode }) => ({ code: batteryCode }))],
    trackBattery: [battery(({ batteryCode }) => ({ code: batteryCode }))],
    listBatteryAlarms: [battery(({ batteryCode }) => ({ code: batteryCode }))],
    listStock: devicesNamed,
    exportStock: devicesNamed,
    readStock: devicesNamed,
  },
  scope: {
    listBatteries: { model: { ...ofDevices, nameOf: (row) => String(row.deviceCode), isNarrowed: false } },
    trackBattery: {
      model: 'of one battery each; its own tests list it in a narrower scope',
      asked: { code: 'BAT1' },
      isFoundAnyway: true,
    },
    listStock: { model: ofDevices },
  },
  screens: [
    ['/equipment/battery', { batteries: asItIs, 'one battery': openBattery }],
    ['/equipment/stock', { stock: asItIs }],
  ],
  additions: {
    listBatteries: reasons.living,
    exportBatteries: reasons.sheet,
    readBattery: reasons.living,
    trackBattery: reasons.living,
    listBatteryAlarms: reasons.living,
    listStock: reasons.living,
    exportStock: reasons.sheet,
    readStock: reasons.living,
  },
}
