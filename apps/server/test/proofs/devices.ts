// What is proved of devices by the tests that run over all nouns (noun-proofs.ts).
import type { Page } from 'playwright-core'
import { patiently } from '../../../../e2e/patiently.ts'
import {
  asItIs,
  choicesOf,
  inDetail,
  press,
  pressFirst,
  pressInDetail,
  toList,
} from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import { insertDevice, insertModel, insertOperator } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import {
  type Belongings,
  deviceCode,
  deviceId,
  deviceIds,
  fresh,
  operator,
  organization,
  shared,
} from '../references.ts'
import { ofDevices } from '../scope-models.ts'

const deviceForm = (of: Belongings) => ({
  operatorId: of.operatorId,
  equipModelId: of.modelId,
  regionCode: '440305',
})
/** Opens a cabinet on this tab. Only cabinets have the panel, and the chosen tab is kept. */
const openCabinet = (tab: string) => async (page: Page) => {
  await toList(page)
  await page.locator('[data-key]').filter({ hasText: /EC\d/ }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: tab }).click()
}
/** Opens a cabinet with an alarm in a compartment. */
const openDevice = async (page: Page) => {
  await openCabinet('概况')(page)
  await page.locator('li[data-alarm]').first().waitFor(patiently)
}
const openPanel = async (page: Page) => {
  await openCabinet('柜体面板')(page)
  await page.getByRole('region', { name: '柜体面板' }).waitFor(patiently)
}
/** On a phone the import is in a menu. */
const importDevices = async (page: Page) => {
  if ((page.viewportSize()?.width ?? 0) > 768) return pressFirst('导入')(page)
  await page.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '导入' }).click()
  await page.getByRole('dialog').waitFor(patiently)
}
const secretOfDevice = async (page: Page) => {
  await pressInDetail('重置密钥', '重置密钥')(page)
  await page.getByText('密钥只显示这一次').waitFor(patiently)
}

export const proofs: NounProofs = {
  references: {
    listDevices: [organization(), operator(), deviceCode, deviceIds],
    exportDevices: [organization(), operator(), deviceCode, deviceIds],
    countChosenDevices: [
      { to: 'device by code', input: (named) => ({ codes: [named.deviceCode] }) },
      organization(({ organizationId }) => ({ filters: { organizationId } })),
      operator(({ operatorId }) => ({ filters: { operatorId } })),
    ],
    readDevice: [deviceId],
    insertDevice: [operator((named) => ({ ...deviceForm(named), code: fresh('NEWDEV') }))],
    updateDevice: [
      { to: 'device', input: (named, own) => ({ ...deviceForm(own), id: named.deviceId }) },
      operator((named, own) => ({ ...deviceForm(named), id: own.deviceId })),
    ],
    renewDeviceSecret: [deviceId],
    deleteDevice: [deviceId],
    readImportTemplate: shared,
    importDevices:
      'names operators by name, row by row: its own tests import as a user of another organization',
    renewImportSecrets: 'is about the caller’s own imports: its own tests ask for those of others',
  },
  scope: {
    listDevices: { model: ofDevices },
  },
  versions: {
    async updateDevice(app) {
      const operatorId = String(await insertOperator(app.db))
      const modelId = await insertModel(app.db)
      const { id } = await insertDevice(app.db, { operatorId: Number(operatorId), modelId })
      const form = { operatorId, equipModelId: String(modelId), regionCode: '440305' }
      return { table: 'device', key: { id: String(id) }, change: () => ({ ...form, name: fresh('改名') }) }
    },
    renewDeviceSecret: 'sets a random secret; nothing that a form has read is overwritten',
    renewImportSecrets: 'sets random secrets; nothing that a form has read is overwritten',
    importDevices: 'adds devices; a code that is taken is refused',
  },
  screens: [
    [
      '/equipment/list',
      {
        devices: asItIs,
        'the form of a device': pressFirst('新增设备'),
        'the choice of a region': choicesOf(pressFirst('新增设备'), '地区'),
        'the import of devices': importDevices,
      },
    ],
    [
      '/equipment/list?isOnline=1',
      {
        'one device': openDevice,
        'the panel of a cabinet': openPanel,
        'the form of a known device': pressInDetail('编辑'),
        'a new secret': secretOfDevice,
      },
    ],
  ],
  forms: {
    'a new device': {
      of: 'devices/form/DeviceDialog',
      path: '/equipment/list',
      open: press('新增设备'),
      problems: ['请输入设备编号', '请选择厂商', '请选择设备型号', '请选择地区'],
      typed: { 设备编号: 'EC99X1' },
      sends: 'equip/insert',
    },
    'a device': {
      of: 'devices/form/DeviceDialog',
      path: '/equipment/list',
      open: inDetail('编辑'),
      spoil: async (form) => {
        await form.getByLabel('设备名称', { exact: true }).fill('x'.repeat(65))
      },
      problems: [],
      sends: 'equip/update/*',
    },
  },
  additions: {
    countChosenDevices: reasons.before,
    renewImportSecrets: reasons.security,
    renewDeviceSecret: reasons.security,
  },
}
