// All screens of the console, for tests that walk them: their states, how each state is reached, and data for each
// screen.
import { crc32, deflateSync } from 'node:zlib'
import {
  createAdvertisement,
  formatDateTime,
  insertDictionaryEntry,
  insertParameterBatch,
  insertUpgradeTask,
  listDeviceVersions,
  listLogExtractions,
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
import { patiently, type Stage, until } from './harness.ts'
import { master, saveMasterBoard, uploadMasterPackage } from './masters.ts'

/** The name of a state, and how it is reached from the newly opened page. */
export type States = Readonly<Record<string, (page: Page) => Promise<void>>>

/** Screens that need no sign-in. */
export const publicScreens: readonly string[] = [
  '/login',
  ...['/asgoft', '/estolife', '/e-ark'],
  ...['/agreement_zh', '/agreement_en', '/privacy', '/privacy_zh', '/privacy_en'],
  ...['/download', '/upgradation', '/upgradation?lang=de', '/pic', '/404?from=/no/such/page'],
]

const openFirst = async (page: Page) => {
  await page.locator('[data-key]').first().focus()
  await page.keyboard.press('Enter')
  await page.locator('aside h3').first().waitFor(patiently)
}
/** Opens a cabinet on this tab. Only cabinets have the panel, and the chosen tab is kept. */
const openCabinet = (tab: string) => async (page: Page) => {
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
const openFirstDialog = async (page: Page) => {
  await page.locator('[data-key]').first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor(patiently)
}
const pressFirst = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('dialog').waitFor(patiently)
}
/** On a phone the import is in a menu. */
const importDevices = async (page: Page) => {
  if ((page.viewportSize()?.width ?? 0) > 768) return pressFirst('导入')(page)
  await page.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '导入' }).click()
  await page.getByRole('dialog').waitFor(patiently)
}
/** On a phone a user's actions are in a menu. */
const pressFirstUser = (name: string) => async (page: Page) => {
  const menu = page.getByRole('button', { name: /的操作$/ }).first()
  const button = page.getByRole('button', { name }).first()
  await menu.or(button).first().waitFor(patiently)
  if (await menu.isVisible()) {
    await menu.click()
    await page.getByRole('menuitem', { name }).click()
  } else await button.click()
  await page.getByRole('dialog').waitFor(patiently)
}
/** Presses a button in the first row's detail; on a phone rows have no buttons. */
const pressInDetail =
  (...names: string[]) =>
  async (page: Page) => {
    await openFirst(page)
    for (const name of names) {
      const confirmation = page.locator('dialog[open]')
      const scope = (await confirmation.isVisible()) ? confirmation : page.locator('aside')
      if (scope !== confirmation && ['重置密钥', '删除'].includes(name)) {
        await scope.getByRole('button', { name: '其他操作' }).first().click()
      }
      await scope
        .getByRole('button', { name: new RegExp(`${name}$`) })
        .first()
        .click()
      await page.getByRole('dialog').filter({ visible: true }).waitFor(patiently)
    }
  }
const secretOfDevice = async (page: Page) => {
  await pressInDetail('重置密钥', '重置密钥')(page)
  await page.getByText('密钥只显示这一次').waitFor(patiently)
}
const changePassword = async (page: Page) => {
  await page.getByRole('button', { name: /^账号/ }).click()
  await page.getByRole('menuitem', { name: '修改密码' }).click()
  await page.getByRole('dialog', { name: '修改密码' }).waitFor(patiently)
}
/** Opens the form of a batch with an editor of each kind. */
const formOfBatch = async (page: Page) => {
  await pressFirst('新增')(page)
  for (const name of ['门锁反馈信号1', '过温点', '指示灯颜色编码', '平台IP和端口']) {
    await page.getByRole('button', { name: '添加参数' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
}
const signOut = async (page: Page) => {
  await page.getByRole('button', { name: /^账号/ }).click()
  await page.getByRole('menuitem', { name: '退出登录' }).click()
  await page.locator('dialog[open]').waitFor(patiently)
}
const chooseIcon = async (page: Page) => {
  await pressFirst('新增菜单')(page)
  await page.getByRole('dialog').getByRole('button', { name: '选择图标' }).click()
  await page.getByRole('group', { name: '图标' }).waitFor(patiently)
}
const sharePicture = async (page: Page) => {
  await pressInDetail('分享')(page)
  await page.getByRole('dialog').getByRole('button', { name: '生成链接' }).click()
  await page.getByRole('img', { name: '分享链接二维码' }).waitFor(patiently)
}
const popup = '.ant-select-dropdown'
/** Opens the choices of a form's field. */
const choicesOf = (form: (page: Page) => Promise<void>, label: string) => async (page: Page) => {
  await form(page)
  await page.getByRole('dialog').getByLabel(label, { exact: true }).first().click()
  await page.locator(popup).filter({ visible: true }).first().waitFor(patiently)
}
const asItIs = async () => {}

/** Screens by address, each with its states. All states are visited in one page: each is closed before the next. */
export const screens: readonly [path: string, states: States][] = [
  [
    '/dashboard',
    {
      'the first page': async (page) => page.getByText(/近 \d+ 天新增告警/).waitFor(patiently),
      'the form of a new password': changePassword,
      'the question before signing out': signOut,
    },
  ],
  [
    '/maintenance/exitWarning',
    {
      'current alarms': asItIs,
      'one alarm': openFirst,
      'what an alarm means': pressFirst('告警内容'),
      'the form of a recovery': pressInDetail('恢复'),
    },
  ],
  ['/maintenance/exitWarning?tab=history', { 'alarm history': asItIs }],
  ['/maintenance/exitWarning?semaphoreName=NOSUCH', { 'no alarms': asItIs }],
  ['/maintenance/eventsearch', { events: asItIs, 'one event': openFirst }],
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
  ['/maintenance/batchsetting', { batches: asItIs, 'the form of a batch': formOfBatch }],
  ['/maintenance/batchsetting?batch=1', { 'one batch': asItIs, 'one device of a batch': openFirst }],
  ['/maintenance/batchsetting?batch=1&tab=log', { 'the log of a batch': asItIs }],
  ['/system/operation', { 'the operation log': asItIs, 'one operation': openFirst }],
  ['/system/server', { 'the server': asItIs }],
  [
    '/system/user',
    {
      users: asItIs,
      'the form of a user': pressFirst('新增用户'),
      'the choice of an organization': choicesOf(pressFirst('新增用户'), '所属组织'),
      "a user's data permissions": pressFirstUser('数据权限'),
    },
  ],
  ['/system/session', { 'online users': asItIs }],
  ['/system/role', { roles: asItIs, 'the form of a role': pressFirst('新增角色') }],
  [
    '/system/menu',
    {
      menus: asItIs,
      'one menu': openFirst,
      'the form of a menu': pressFirst('新增菜单'),
      'the choice of an icon': chooseIcon,
    },
  ],
  ['/equipment/intake', { refusals: asItIs, 'one refusal': openFirst }],
  ['/system/dictionary', { 'the dictionary': asItIs }],
  [
    '/system/dictionary?type=ALARM',
    { 'an alarm of the dictionary': openFirst, 'the form of an alarm': pressFirst('新增字典') },
  ],
  [
    '/reference/organization',
    {
      organizations: asItIs,
      'one organization': openFirst,
      'the question before a deletion': pressInDetail('删除'),
      'the form of an organization': pressFirst('新增组织'),
    },
  ],
  [
    '/equipment/hwVersion',
    { 'hardware versions': asItIs, 'the form of a hardware version': pressFirst('新增硬件版本') },
  ],
  ['/upgrade/board', { boards: asItIs, 'the form of a board': pressFirst('新增板卡') }],
  [
    '/upgrade/firmware',
    {
      firmware: asItIs,
      'one package': openFirst,
      'the form of a package': pressFirst('新增固件'),
      'the form of a known package': pressInDetail('编辑'),
      'the JSON of an upgrade': pressInDetail('JSON'),
    },
  ],
  ['/upgrade/softwareVersion', { 'software versions': asItIs }],
  [
    '/maintenance/advertise',
    {
      advertisements: asItIs,
      'one advertisement': openFirst,
      'the sharing of a picture': sharePicture,
      'the form of an advertisement': pressFirst('发布广告'),
    },
  ],
  [
    '/maintenance/logextract',
    { 'the form of an extraction': async (page) => page.getByText('最近提取').waitFor(patiently) },
  ],
  [
    '/maintenance/logextract?extraction=1',
    {
      'one log': async (page) =>
        page.getByRole('region', { name: '日志内容' }).getByText('run/').first().waitFor(patiently),
    },
  ],
  ['/maintenance/logextract?tab=history', { 'extracted logs': asItIs }],
  ['/upgrade/version', { 'versions by device': asItIs, 'the versions of one device': openFirstDialog }],
  [
    '/upgrade/upgradeTask',
    { 'upgrade tasks': asItIs, 'the form of an upgrade task': pressFirst('新增升级任务') },
  ],
  ['/upgrade/upgradeTask?task=1', { 'one upgrade task': asItIs, 'one device of it': openFirst }],
  ['/upgrade/upgradeLog', { 'the upgrade log': asItIs }],
  ['/reference/operator', { operators: asItIs, 'the form of an operator': pressFirst('新增运营商') }],
  [
    '/reference/region',
    { regions: asItIs, 'one region': openFirst, 'the form of a region': pressFirst('新增地区') },
  ],
  ['/reference/region?keyword=440305', { 'regions found': asItIs }],
  [
    '/reference/equipType',
    {
      'equipment types': asItIs,
      'one equipment type': openFirst,
      'the form of an equipment type': pressFirst('新增设备类型'),
      'the form of a model': pressInDetail('新增型号'),
    },
  ],
  [
    '/reference/equipType?tab=parts',
    { 'part types': asItIs, 'the form of a part type': pressFirst('新增部件类型') },
  ],
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
 * advertisement, and the address of the app.
 */
export async function setScene(stage: Stage): Promise<void> {
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
  await device.report('status', statusOf(classify, random))
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

/** A PNG with coloured bands, 320 by 180. */
export function bands(): Buffer {
  const [width, height] = [320, 180]
  const row = (at: number) => {
    const colour =
      [
        [0x22, 0x57, 0xd0],
        [0x35, 0xc4, 0x7c],
        [0xf5, 0xc7, 0x1f],
      ][Math.floor((at * 3) / height)] ?? []
    // Each row begins with its filter type: none.
    return [0, ...Array.from({ length: width }, () => colour).flat()]
  }
  const rows = Buffer.from(Array.from({ length: height }, (_, at) => row(at)).flat())
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Eight bits per channel, RGB.
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
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
