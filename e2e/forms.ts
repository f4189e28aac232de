// Every form of the console, for tests that run over all of them: its page, how it opens, and what it requires.
import type { Locator, Page } from 'playwright-core'
import { patiently } from './harness.ts'
import { bands } from './screens.ts'

export interface FormCase {
  path: string
  open: (page: Page) => Promise<void>
  /** Makes a form invalid that opens with valid values, such as that of a row. */
  spoil?: (form: Locator) => Promise<void>
  /** The messages when it is submitted like that, from the top. */
  problems: readonly string[]
  /** Chosen first: without it the form cannot be submitted. */
  file?: { name: string; mimeType: string; buffer: Buffer }
  /** Texts of fields by label; other required fields get their first choice or any text. */
  typed?: Readonly<Record<string, string>>
  /** Fills what is not marked as required. */
  complete?: (form: Locator) => Promise<void>
  /** The path of its call. */
  sends: string
}

/** The open form. */
export const formOn = (page: Page) => page.locator('.ant-modal').filter({ visible: true }).last()

const whenOpen = (page: Page) => formOn(page).waitFor(patiently)
const press = (name: string) => async (page: Page) => {
  await page
    .getByRole('button', { name: new RegExp(`${name}$`) })
    .first()
    .click()
  await whenOpen(page)
}
/** A button of the row with this text; of the first row by default. */
const inRow =
  (name: string, text = '') =>
  async (page: Page) => {
    const row = page.locator('[data-key]').filter({ hasText: text }).first()
    await row.getByRole('button', { name, exact: true }).click()
    await whenOpen(page)
  }
/** A button of the first row's detail. */
const inDetail = (name: string) => async (page: Page) => {
  const detail = page.locator('aside').filter({ has: page.locator('h3') })
  if (!(await detail.isVisible())) {
    await page.locator('[data-key]').first().focus()
    await page.keyboard.press('Enter')
    await detail.waitFor(patiently)
  }
  await detail
    .getByRole('button', { name: new RegExp(`${name}$`) })
    .first()
    .click()
  await whenOpen(page)
}
const clear =
  (...labels: string[]) =>
  async (form: Locator) => {
    for (const label of labels) await form.getByLabel(label, { exact: true }).fill('')
  }
/** Chooses the first option of a field. */
export async function chooseFirst(item: Locator): Promise<void> {
  const page = item.page()
  await item.locator('.ant-select input').first().click()
  const popup = page.locator('.ant-select-dropdown').filter({ visible: true }).last()
  const choice = [
    '.ant-select-item-option:not(.ant-select-item-option-disabled)',
    '.ant-select-tree-treenode:not(.ant-select-tree-treenode-disabled) .ant-select-tree-node-content-wrapper',
    '.ant-cascader-menu-item',
  ]
  await popup.locator(choice.join(', ')).first().click()
  // A cascader and a multiple select stay open.
  await formOn(page).locator('.ant-modal-title').click()
  await popup.waitFor({ ...patiently, state: 'hidden' })
}
/**
 * Chooses by its name in a field of several: the list stays open, and Esc closes it. With a closed list, Esc would close
 * the form.
 */
export async function chooseAmong(form: Locator, label: string, name: string): Promise<void> {
  const page = form.page()
  await form.getByLabel(label).click()
  await page.locator('.ant-select-item-option').filter({ hasText: name }).last().click()
  await page.keyboard.press('Escape')
}
/** The whole field of a label. */
export const itemOf = (form: Locator, label: string) =>
  form.locator('.ant-form-item').filter({ has: form.page().locator('label', { hasText: label }) })

export const forms: Readonly<Record<string, FormCase>> = {
  'a password': {
    path: '/dashboard',
    open: async (page) => {
      await page.getByRole('button', { name: /^账号/ }).click()
      await page.getByRole('menuitem', { name: '修改密码' }).click()
      await whenOpen(page)
    },
    problems: ['请输入原密码', '请输入新密码', '请再次输入新密码'],
    typed: { 原密码: 'abcdef1', 新密码: 'abcDEF12', 确认新密码: 'abcDEF12' },
    sends: 'user/update/password',
  },
  'the recovery of an alarm': {
    path: '/maintenance/exitWarning',
    open: inDetail('恢复'),
    problems: ['请输入处理说明'],
    sends: 'alarm/recover/*',
  },
  'the recovery of many alarms': {
    path: '/maintenance/exitWarning',
    open: async (page) => {
      await page.locator('[data-key] input[type=checkbox]').first().check()
      await page.getByRole('button', { name: /恢复/ }).filter({ visible: true }).last().click()
      await whenOpen(page)
    },
    problems: ['请输入处理说明'],
    sends: 'alarm/recovery',
  },
  'a new device': {
    path: '/equipment/list',
    open: press('新增设备'),
    problems: ['请输入设备编号', '请选择厂商', '请选择设备型号', '请选择地区'],
    typed: { 设备编号: 'EC99X1' },
    sends: 'equip/insert',
  },
  'parameters of many devices': {
    path: '/maintenance/batchsetting',
    open: press('新增'),
    spoil: async (form) => {
      for (const name of ['过温点', '平台IP和端口']) {
        await form.getByRole('button', { name: '添加参数' }).click()
        await form.page().getByRole('menuitem', { name }).click()
      }
    },
    problems: ['过温点应为 30 到 90 的整数，单位 ℃', '平台IP和端口格式应为 ip:port，端口 1 到 65535'],
    complete: async (form) => {
      await form.getByPlaceholder('30–90').fill('60')
      await form.getByPlaceholder('10.20.0.8').fill('10.20.0.8')
      await form.getByPlaceholder('1883').fill('1883')
    },
    sends: 'equip/param/batchSet/insert',
  },
  'a new user': {
    path: '/system/user',
    open: press('新增用户'),
    problems: [
      ...['请输入姓名', '请输入登录名', '请输入正确的手机号', '请选择用户类型', '请选择角色'],
      '设备类型、运营商、地区至少选1个',
    ],
    typed: { 登录名: 'zhangsan', 手机号: '13800000000' },
    complete: (form) => chooseFirst(itemOf(form, '设备类型')),
    sends: 'user/insert',
  },
  'a user': {
    path: '/system/user',
    open: inRow('编辑', 'shanghai'),
    spoil: clear('姓名', '手机号'),
    problems: ['请输入姓名', '请输入正确的手机号'],
    typed: { 手机号: '13800000000' },
    sends: 'user/update/*',
  },
  'a new role': {
    path: '/system/role',
    open: press('新增角色'),
    problems: ['请输入角色名称', '请输入角色编码'],
    typed: { 角色编码: 'TESTER' },
    sends: 'role/insert',
  },
  'a new menu': {
    path: '/system/menu',
    open: press('新增菜单'),
    problems: ['请输入菜单名称', '请输入路由地址', '请输入路由名称'],
    sends: 'menu/insert',
  },
  'a new entry of the dictionary': {
    path: '/system/dictionary',
    open: press('新增字典'),
    problems: ['请选择类型', '请输入编码', '请输入名称', '请输入备注'],
    typed: { 编码: 'X1' },
    sends: 'enum/insert',
  },
  'a new alarm of the dictionary': {
    path: '/system/dictionary?type=ALARM',
    open: press('新增字典'),
    problems: ['请输入编码', '请输入名称', '请输入备注', '请选择告警级别', '请选择解析方式'],
    typed: { 编码: 'X1' },
    sends: 'enum/insert',
  },
  'a device': {
    path: '/equipment/list',
    open: inDetail('编辑'),
    spoil: async (form) => {
      await form.getByLabel('设备名称', { exact: true }).fill('x'.repeat(65))
    },
    problems: [],
    sends: 'equip/update/*',
  },
  'a new organization': {
    path: '/reference/organization',
    open: press('新增组织'),
    problems: ['请输入组织名称', '请输入组织编码'],
    sends: 'organization/insert',
  },
  'a new operator': {
    path: '/reference/operator',
    open: press('新增运营商'),
    problems: ['请输入运营商名称', '请输入运营商编码', '请选择所属组织'],
    sends: 'operator/insert',
  },
  'a new region': {
    path: '/reference/region',
    open: press('新增地区'),
    problems: ['请输入地区编码', '请输入地区名称'],
    typed: { 地区编码: '990000' },
    sends: 'region/insert',
  },
  'a new type of device': {
    path: '/reference/equipType',
    open: press('新增设备类型'),
    problems: ['请输入设备类型名称', '请输入设备类型编码', '请选择设备类别'],
    sends: 'equipType/insert',
  },
  'a new model': {
    path: '/reference/equipType',
    open: inDetail('新增型号'),
    problems: ['请输入型号名称', '请输入型号编码'],
    sends: 'model/insert',
  },
  'a new type of part': {
    path: '/reference/equipType?tab=parts',
    open: press('新增部件类型'),
    problems: ['请输入部件类型编码', '请输入部件类型名称'],
    sends: 'partType/insert',
  },
  'a new board': {
    path: '/upgrade/board',
    open: press('新增板卡'),
    problems: ['板卡编号不能为空', '板卡名称不能为空', '设备类型不能为空', '部件不能为空'],
    sends: 'pcb/save',
  },
  'a new hardware version': {
    path: '/equipment/hwVersion',
    open: press('新增硬件版本'),
    problems: ['设备类型不能为空', '设备型号不能为空', '部件不能为空', '版本名称不能为空', '版本号不能为空'],
    sends: 'equip/hwVersion/cearte',
  },
  'a package': {
    path: '/upgrade/firmware',
    open: inDetail('编辑'),
    spoil: clear('中文说明', '法文说明'),
    problems: ['版本说明不能为空', '版本说明不能为空'],
    sends: 'firmware/update/*',
  },
  'a software version': {
    path: '/upgrade/softwareVersion',
    open: inRow('编辑'),
    spoil: clear('德文说明'),
    problems: ['版本说明不能为空'],
    sends: 'softwareVersion/update/*',
  },
  'a new upgrade task': {
    path: '/upgrade/upgradeTask',
    open: press('新增升级任务'),
    problems: ['请选择软件文件', '请选择升级时间'],
    typed: { 升级时间: '2030-01-01 02:00:00' },
    sends: 'equipUpgradeTask/insert',
  },
  'a part of a model': {
    path: '/reference/equipType',
    open: async (page) => {
      const model = page.locator('aside tbody tr').first()
      if (!(await model.isVisible())) {
        await page.locator('[data-key]').first().focus()
        await page.keyboard.press('Enter')
        await model.click()
      }
      await inDetail('新增部件')(page)
    },
    problems: ['请选择部件类型'],
    sends: 'model/add/part',
  },
  'the upgrade of one device': {
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
  'what a user may see': {
    path: '/system/user',
    open: inRow('数据权限', 'shanghai'),
    problems: [],
    complete: (form) => chooseFirst(itemOf(form, '设备类型')),
    sends: 'permission/update',
  },
  'a new package': {
    path: '/upgrade/firmware',
    open: press('新增固件'),
    file: {
      name: 'E2EMB_EC_MASTER_V9.9_R.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('firmware'),
    },
    problems: ['版本说明不能为空', '版本说明不能为空', '版本说明不能为空', '版本说明不能为空'],
    sends: 'firmware/insert',
  },
  'a new advertisement': {
    path: '/maintenance/advertise',
    open: press('发布广告'),
    file: { name: '春节.png', mimeType: 'image/png', buffer: bands() },
    problems: ['请输入广告名称', '请选择开始时间', '请选择结束时间'],
    typed: { 开始时间: '2030-01-01 00:00:00', 结束时间: '2030-12-31 00:00:00' },
    sends: 'ad/create',
  },
}
