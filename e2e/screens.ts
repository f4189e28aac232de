// The data that every screen of the console has something to show of, and what tests that walk the screens share. The
// screens are in apps/server/test/proofs/, noun by noun.
import {
  actOnDevice,
  createAdvertisement,
  draftHandover,
  formatDateTime,
  insertDevice,
  insertDictionaryEntry,
  insertNotifyChannel,
  insertNotifyRule,
  insertOcppRelay,
  insertParameterBatch,
  insertReportSubscription,
  insertRole,
  insertUpgradeTask,
  insertUser,
  listDevices,
  listDeviceVersions,
  listLogExtractions,
  listMenus,
  listUpgradeTasks,
  readParameterBatch,
  startLogExtraction,
  uploadAdvertisementFile,
} from '@voltkeep/contract'
import type { DeviceIdentity, VirtualDevice } from '@voltkeep/simulator/device'
import { parametersOf, statusOf } from '@voltkeep/simulator/firmware'
import { createRandom } from '@voltkeep/simulator/random'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { imitateWecom } from '../apps/server/test/robots.ts'
import { asIfMadeLongAgo } from './colleagues.ts'
import { patiently, type Stage, until } from './harness.ts'
import { master, saveMasterBoard, uploadMasterPackage } from './masters.ts'
import { bands } from './pictures.ts'

/** Screens that need no sign-in. */
export const publicScreens: readonly string[] = [
  '/login',
  ...['/asgoft', '/estolife', '/e-ark'],
  ...['/agreement_zh', '/agreement_en', '/privacy', '/privacy_zh', '/privacy_en'],
  ...['/download', '/upgradation', '/upgradation?lang=de', '/pic', '/404?from=/no/such/page'],
]

/** Alarms of every level, with bits that the dictionary defines, and an alarm that it does not know. */
const alarmsOfDevices: readonly (readonly [code: string, value: number])[][] = [
  [
    ['01120003', 0b1010],
    ['01110005', 0b1],
    ['T0001', 5],
  ],
  [['01210003', 0b1]],
  [
    ['01120001', 0b100],
    ['01110009', 0b1],
  ],
]

/**
 * Devices that report, alarms and events, a refused connection, a failed upgrade, a log, a refused batch, an
 * advertisement, a rule that tells a robot of alarms, and the address of the app.
 */
export async function setScene(stage: Stage): Promise<void> {
  await tellOfAlarms(stage)
  await subscribeToReport(stage)
  for (const [at, identity] of stage.identities.slice(0, 3).entries()) {
    const device = stage.device(identity)
    device.start()
    await device.whenOnline()
    for (const [code, value] of alarmsOfDevices[at] ?? []) await device.raise(code, value)
    await device.report('event', { code: 'E0001', value: 1, data: { slot: 3 } })
    await introduce(device, identity)
  }
  const stranger = stage.device({ code: 'NOBODY01', secret: 'x'.repeat(20) })
  stranger.start()
  await beginUpgrade(stage)
  await extractLog(stage)
  await beginBatch(stage)
  await publishPicture(stage)
  await askForDoor(stage)
  await relayStation(stage)
  const app = {
    type: 'APP_ADDR',
    code: '3.2',
    name: '安卓应用',
    note: 'https://example.com/voltkeep-3.2.apk',
  }
  await stage.call(insertDictionaryEntry, app)
}

/** Reports of a device: its figures; of a cabinet also its parts and parameters. */
async function introduce(device: VirtualDevice, identity: DeviceIdentity): Promise<void> {
  const classify = identity.code.startsWith('EC') ? 'EC' : 'BAT'
  const random = createRandom(1).fork(identity.code)
  await device.report('status', statusOf(device, { code: identity.code, classify }, random))
  if (classify !== 'EC') return
  const bins = Array.from({ length: 8 }, (_, at) => ({
    partType: 'PART_TYPE_EC_BIN',
    addrId: String(at + 1),
    version: at === 5 ? '1.3' : '1.4',
  }))
  await device.report('version', { versions: [{ partType: master, addrId: '0', version: '1.4' }, ...bins] })
  await device.report('parameter', {
    parameters: parametersOf({ ...identity, classify, partTypes: [] }, random),
  })
}

/** A charging station that stays with its maker's platform. */
async function relayStation(stage: Stage): Promise<void> {
  const [like] = await stage.call(listDevices, { code: stage.identities[0]?.code ?? '' })
  const { operatorId = '', equipModelId = '', regionCode = '' } = like ?? {}
  const station = { code: 'CP900001', name: '科技园充电站', protocol: 'ocpp16' as const }
  const { id } = await stage.call(insertDevice, { ...station, operatorId, equipModelId, regionCode })
  await stage.call(insertOcppRelay, {
    id,
    url: 'wss://ocpp.example.com/central',
    password: 'e2e-relay-secret',
  })
}

/** A colleague asks for a door with fire behind it to be opened, and a device is asked for a report. */
async function askForDoor(stage: Stage): Promise<void> {
  const [row] = await stage.call(listDevices, { code: stage.identities[0]?.code ?? '' })
  const id = row?.id ?? ''
  await stage.call(actOnDevice, { id, action: 'reportStatus', reason: '巡检' })
  const pages = (await stage.call(listMenus, {})).flatMap((menu) => [menu, ...menu.children])
  const menuIds = [...new Set(pages.flatMap((page) => [page, ...page.children]).map((menu) => menu.id))]
  const role = await stage.call(insertRole, { name: '现场维保', code: 'E2E_FIELD', menuIds })
  const credentials = { loginName: 'e2e-field', password: 'Volt-1234' }
  await stage.call(insertUser, {
    ...credentials,
    userName: '维保员',
    phone: '13800138001',
    roleIds: [role.id],
    type: '2',
  })
  await asIfMadeLongAgo(stage)
  const { client } = stage.server
  const token = await client.signIn(credentials.loginName, credentials.password)
  await client.call(
    actOnDevice,
    { id, action: 'openDoor', compartment: 2, reason: '现场冒烟，消防人员要求开门' },
    token,
  )
  // The same colleague ends a shift.
  const ago = (hours: number) => formatDateTime(new Date(Date.now() - hours * 3_600_000))
  await client.call(
    draftHandover,
    { startTime: ago(8), endTime: ago(0), note: '南山站备件周五到货，现场冒烟已报消防。' },
    token,
  )
}

/** A robot that is told of alarms. */
async function tellOfAlarms(stage: Stage): Promise<void> {
  const { url } = await imitateWecom()
  const { id } = await stage.call(insertNotifyChannel, { kind: 'wecom', name: '值班群', address: url })
  await stage.call(insertNotifyRule, {
    name: '紧急和重要告警',
    when: ['raised', 'recovered'],
    alarmLevels: [1, 2],
    channelIds: [id],
    quietFrom: '22:00',
    quietTo: '07:00',
  })
}

/** A report that is mailed each month. */
async function subscribeToReport(stage: Stage): Promise<void> {
  const { id: channelId } = await stage.call(insertNotifyChannel, {
    kind: 'mail',
    name: '运维主管',
    address: 'ops@example.com',
    settings: { host: 'smtp.example.com', port: 465, from: 'voltkeep@example.com' },
  })
  await stage.call(insertReportSubscription, {
    name: '每月告警质量',
    kind: 'alarm',
    every: 'month',
    hour: 8,
    channelId,
  })
}

/** Extracts a log that is available. */
async function extractLog(stage: Stage): Promise<void> {
  const [identity] = stage.identities.filter(({ code }) => code.startsWith('EC'))
  if (!identity) throw new Error('the demonstration has cabinets')
  const today = formatDateTime(new Date()).slice(0, 10)
  const { id } = await stage.call(startLogExtraction, {
    equipCode: identity.code,
    equipClassify: 'EC',
    logExtractParam: { level: 'RUN', startTime: today, endTime: today },
  })
  await until('the log has come', async () => {
    const [extraction] = await stage.call(listLogExtractions, { ids: [id] })
    return extraction?.state === 'done'
  })
}

/** Creates a batch with two failures: one device refuses it, since it lacks the parameters, and another is offline. */
async function beginBatch(stage: Stage): Promise<void> {
  const codes = [stage.identities[2], stage.identities.at(-1)].map((identity) => identity?.code ?? '')
  const { id } = await stage.call(insertParameterBatch, {
    paramSetRule: { upgradeCount: 2, interval: 3 },
    entitys: [
      { id: '02121010', value: '6220051' },
      { id: '02121006', value: '65' },
    ],
    queryParam: { codes },
  })
  await until('the device has refused', async () => {
    const { counts } = await stage.call(readParameterBatch, { id })
    return counts.refused === 1
  })
}

/** Publishes a picture on all cabinets of the demonstration; returns the advertisement's id. */
export async function publishPicture(stage: Stage): Promise<string> {
  const token = await stage.server.client.signIn('admin', stage.server.adminPassword)
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bands())]), '春节.png')
  const answer = await fetch(`${stage.server.url}/api${uploadAdvertisementFile.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  const { data } = (await answer.json()) as { data: { annexUrl: string; fileMame: string } }
  const { annexUrl, fileMame } = data
  const period = { adStartTime: '2026-01-01', adEndTime: '2099-12-31' }
  const advertisement = { adName: '春节换电优惠', ...period, annexUrl, fileMame }
  return (await stage.call(createAdvertisement, advertisement)).id
}

/** Creates a task that fails: devices refuse it, since they no longer have the part. */
async function beginUpgrade(stage: Stage): Promise<void> {
  await saveMasterBoard(stage)
  const softwareVersionId = await uploadMasterPackage(stage, '9.1')
  const [identity] = stage.identities.filter(({ code }) => code.startsWith('EC'))
  if (!identity) throw new Error('the demonstration has cabinets')
  const device = stage.device(identity)
  device.start()
  await device.whenOnline()
  await device.report('version', { versions: [{ partType: master, addrId: '0', version: '1.0' }] })
  await until('the version is known', async () => {
    const rows = await stage.call(listDeviceVersions, { code: identity.code, partType: master })
    return rows.length > 0
  })
  const { id } = await stage.call(insertUpgradeTask, {
    softwareVersionId,
    upgradeTime: formatDateTime(new Date()),
    devices: { codes: [identity.code] },
  })
  await until('the device has refused', async () => {
    const [task] = await stage.call(listUpgradeTasks, { ids: [id] })
    return task?.counts.refused === 1
  })
}

/** Waits until the page is shown: its heading, and the rows of its list or the message that it is empty. */
export async function whenShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor(patiently)
  await page
    .locator('[data-key], [aria-live]')
    .first()
    .waitFor({ ...patiently, state: 'attached' })
}

/** Closes what is open, one layer after the other; the dialog of a secret only by its button. */
export async function leave(page: Page): Promise<void> {
  const inTheWay = page.locator('[role=dialog], dialog[open], aside h3').filter({ visible: true })
  const saved = page.getByRole('button', { name: '我已保存' })
  const givenUp = page.getByRole('dialog', { name: '放弃修改' }).getByRole('button', { name: '放弃' })
  await until('everything is closed', async () => {
    if ((await inTheWay.count()) === 0) return true
    if (await saved.isVisible()) await saved.click()
    else if (await givenUp.isVisible()) await givenUp.click()
    else await page.keyboard.press('Escape')
    return false
  })
}

/** Fails if the page scrolls horizontally. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  // Polled: just after a change of size, the page is still laid out for the former one.
  await expect.poll(overflow, patiently).toBeLessThanOrEqual(0)
}
