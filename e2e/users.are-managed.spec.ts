import { insertUser, listOrganizations, listRoles, listUsers } from '@voltkeep/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { opened, patiently, pressBehind, stageFor, until } from './harness.ts'
import { chooseAmong } from './reach.ts'

describe('users', () => {
  const stage = stageFor()
  let page: Page
  let company: { id: string; name: string }
  let branch: { id: string; name: string }
  let role: { id: string; name: string }

  beforeAll(async () => {
    const [root] = await stage.call(listOrganizations, {})
    const found = root?.children.find(({ children }) => children.length > 0)
    if (!found?.children[0]) throw new Error('the demonstration has organizations under organizations')
    company = found
    branch = found.children[0]
    const assignable = (await stage.call(listRoles, {})).find(({ isAssignable }) => isAssignable)
    if (!assignable) throw new Error('the seeds have a role that can be given')
    role = assignable
    const form = { password: 'Volt-1234', phone: '13800000000', roleIds: [role.id], type: '2' }
    const plant = (userName: string, loginName: string, organizationId: string) =>
      stage.call(insertUser, { ...form, userName, loginName, organizationId })
    await plant('总部员工', 'e2e-head', '1')
    await plant('公司员工', 'e2e-company', company.id)
    await plant('分部员工', 'e2e-branch', branch.id)
    page = await stage.open('/system/user')
    await adding().waitFor()
  })

  const rowOf = (text: string) => page.locator('tbody tr').filter({ hasText: text })
  const form = () => page.getByRole('dialog').filter({ hasText: '所属组织' })
  const adding = () => page.getByRole('button', { name: '新增用户' })
  const question = () => page.locator('dialog[open]')
  const optionOf = (name: string) => page.getByTitle(name, { exact: true }).last()
  const send = () => form().getByRole('button', { name: '确定' }).click()
  const errors = async () =>
    (await form().locator('.ant-form-item-explain-error').allTextContents()).map((text) => text.trim())
  const choose = async (label: string, name: string) => {
    await form().getByLabel(label).click()
    await optionOf(name).click()
  }

  // proves: screen 13
  it('are found in the organization tree, which a keyword filters', async () => {
    const tree = page.getByRole('navigation', { name: '组织' })
    await tree.getByLabel('输入组织名称筛选').fill(branch.name)
    await tree.getByRole('button', { name: '全部组织' }).waitFor({ state: 'detached' })
    await tree.getByRole('button', { name: branch.name, exact: true }).click()
    await rowOf('分部员工').waitFor()
    await rowOf('公司员工').waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('organizationId')).toBe(branch.id)
    await tree.getByLabel('输入组织名称筛选').fill('')
    await tree.getByRole('button', { name: company.name, exact: true }).click()
    await rowOf('公司员工').waitFor()
    await rowOf('分部员工').waitFor()
    await rowOf('总部员工').waitFor({ state: 'detached' })
    await tree.getByRole('button', { name: '全部组织' }).click()
    await rowOf('总部员工').waitFor()
  })

  // proves: screen 13
  it('are found by name, phone and roles, which are part of the address', async () => {
    const filters = page.getByRole('form', { name: '筛选' })
    await filters.getByLabel('姓名').fill('e2e-branch')
    await filters.getByLabel('手机号').fill('1380')
    await filters.getByLabel('角色').click()
    await optionOf(role.name).click()
    await page.keyboard.press('Escape')
    await filters.getByRole('button', { name: '查询' }).click()
    await rowOf('总部员工').waitFor({ state: 'detached' })
    await rowOf('分部员工').waitFor()
    await page.reload()
    await rowOf('分部员工').waitFor()
    await expect.poll(() => page.locator('tbody tr').count(), patiently).toBe(1)
    await page.getByRole('form', { name: '筛选' }).getByRole('button', { name: '重置' }).click()
    await rowOf('总部员工').waitFor()
  })

  // proves: rule user 1
  it('of id 1 have no buttons, and cannot be disabled', async () => {
    const [first] = await stage.call(listUsers, { name: 'admin' })
    expect(first?.id).toBe('1')
    const row = rowOf('系统管理员').filter({ hasText: 'admin' }).first()
    await page.getByRole('form', { name: '筛选' }).getByLabel('姓名').fill('admin')
    await page.keyboard.press('Enter')
    await row.waitFor()
    // Nor a menu that contains these actions.
    for (const name of ['编辑', '数据权限', '重置密码', '删除', '其他操作']) {
      await expect.poll(() => row.getByRole('button', { name }).count(), patiently).toBe(0)
    }
    await expect.poll(() => row.getByRole('switch').isDisabled(), patiently).toBe(true)
    await page.getByRole('form', { name: '筛选' }).getByRole('button', { name: '重置' }).click()
  })

  // proves: screen 13; rule user.userName; rule user.loginName; rule user.phone; rule user.roleIds; rule user.type
  // proves: rule role 1; rule password on add; message 请输入正确的手机号
  it('need every field, each with its own message; the password is preset and role 1 cannot be chosen', async () => {
    await opened(form(), adding())
    const preset = await form().getByLabel('密码', { exact: true }).inputValue()
    expect(preset).toMatch(/^[\w]{12}$/)
    await form().getByRole('button', { name: '重新生成' }).click()
    await expect
      .poll(() => form().getByLabel('密码', { exact: true }).inputValue(), patiently)
      .not.toBe(preset)
    await form().getByLabel('密码', { exact: true }).fill('')
    await send()
    await form().getByText('请输入姓名').waitFor()
    expect(await errors()).toEqual([
      '请输入姓名',
      '请输入登录名',
      '请输入密码',
      '请输入正确的手机号',
      '请选择用户类型',
      '请选择角色',
      '设备类型、运营商、地区至少选1个',
    ])
    for (const phone of ['1380000000', '138000000001', '1380000000x']) {
      await form().getByLabel('手机号').fill(phone)
      await send()
      expect(await errors()).toContain('请输入正确的手机号')
    }
    await form().getByLabel('手机号').fill('13900000000')
    await form().getByLabel('密码', { exact: true }).fill('Ab1')
    await send()
    await form().getByText('长度在6到20个字之间').waitFor()
    await form().getByLabel('密码', { exact: true }).fill('abcdefgh')
    await send()
    await form().getByText('密码必须由大写字母、小写字母、数字、特殊符号中的2种及以上类型组成!').waitFor()
    await form().getByLabel('角色').click()
    const system = page.locator('.ant-select-item-option', { hasText: '系统管理员' }).last()
    await system.waitFor()
    await expect.poll(() => system.getAttribute('aria-disabled'), patiently).toBe('true')
    await page.keyboard.press('Escape')
    if (await question().isVisible()) await page.keyboard.press('Escape')
  })

  // proves: rule user.loginName; message 创建成功
  it('are added with the login name trimmed; a taken one is reported at its field and the typed values are kept', async () => {
    await opened(form(), adding())
    await form().getByLabel('姓名').fill('新来的')
    await form().getByLabel('登录名').fill('  e2e-branch  ')
    await form().getByLabel('密码', { exact: true }).fill('Volt-2026')
    await form().getByLabel('手机号').fill('13900000000')
    await choose('用户类型', '厂商用户')
    await chooseAmong(form(), '角色', role.name)
    await send()
    // Access to all devices has to be chosen explicitly.
    await form().getByText('设备类型、运营商、地区至少选1个').waitFor()
    await form().getByLabel('组织内全部').check()
    await send()
    await form().getByText('登录名已存在').waitFor()
    await expect.poll(() => form().getByLabel('姓名').inputValue(), patiently).toBe('新来的')
    await form().getByLabel('登录名').fill('  e2e-new  ')
    await send()
    await page.getByText('创建成功').waitFor()
    const summary = page.getByRole('dialog').filter({ hasText: '用户已新增' })
    await summary.getByText('Volt-2026').waitFor()
    await summary.getByRole('button', { name: '完成' }).click()
    await summary.waitFor({ state: 'hidden' })
    expect((await page.content()).includes('Volt-2026')).toBe(false)
    await rowOf('新来的').waitFor()
    await stage.server.client.signIn('e2e-new', 'Volt-2026')
  })

  // proves: rule loginName on edit; rule password on add; rule user.password; screen 13; message 操作成功
  // proves: rule code 200
  it('are changed in the same form, without the login name and the password', async () => {
    await rowOf('新来的').getByRole('button', { name: '编辑' }).click()
    await form().waitFor()
    await expect.poll(() => form().getByLabel('登录名').isDisabled(), patiently).toBe(true)
    await expect.poll(() => form().getByLabel('密码', { exact: true }).count(), patiently).toBe(0)
    await form().getByLabel('手机号').fill('139')
    await send()
    await form().getByText('请输入正确的手机号').waitFor()
    await form().getByLabel('手机号').fill('13911112222')
    await form().getByLabel('姓名').fill('改过名的')
    await send()
    await page.getByText('操作成功').waitFor()
    await rowOf('改过名的').getByText('13911112222').waitFor()
  })

  it('keep the typed values of the later of two administrators, who is warned', async () => {
    await rowOf('改过名的').getByRole('button', { name: '编辑' }).click()
    await form().waitFor()
    const other = await stage.open('/system/user')
    const otherRow = other.locator('tbody tr').filter({ hasText: '改过名的' })
    await otherRow.getByRole('button', { name: '编辑' }).click()
    const otherForm = other.getByRole('dialog').filter({ hasText: '所属组织' })
    await otherForm.getByLabel('姓名').fill('先改的')
    await otherForm.getByRole('button', { name: '确定' }).click()
    await otherForm.waitFor({ state: 'detached' })
    await other.close()
    await form().getByLabel('姓名').fill('后改的')
    await send()
    await form().getByText('数据已被他人修改', { exact: true }).waitFor()
    await expect.poll(() => form().getByLabel('姓名').inputValue(), patiently).toBe('后改的')
    await form().getByRole('button', { name: '载入最新内容' }).click()
    await expect.poll(() => form().getByLabel('姓名').inputValue(), patiently).toBe('先改的')
    await form().getByRole('button', { name: '取消' }).click()
    await form().waitFor({ state: 'detached' })
    await page.reload()
    await rowOf('先改的').waitFor()
  })

  it('are disabled after a confirmation, cannot sign in, and can again once enabled', async () => {
    const toggle = rowOf('先改的').getByRole('switch')
    await toggle.click()
    await question().getByText('将停用用户 先改的（e2e-new）').waitFor()
    await question().getByRole('button', { name: '停用' }).click()
    await until('the switch is off', async () => (await toggle.getAttribute('aria-checked')) === 'false')
    await expect(stage.server.client.signIn('e2e-new', 'Volt-2026')).rejects.toThrow('登录名或密码错误')
    await toggle.click()
    await until('the switch is on', async () => (await toggle.getAttribute('aria-checked')) === 'true')
    await stage.server.client.signIn('e2e-new', 'Volt-2026')
  })

  it('get a one-time password, shown once, and must change it before anything else', async () => {
    await pressBehind(rowOf('先改的'), '重置密码')
    await question().getByText('旧密码立即失效').waitFor()
    await question().getByRole('button', { name: '重置密码' }).click()
    const shown = page.getByRole('dialog').filter({ hasText: '密码只显示这一次' })
    await shown.waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => shown.isVisible(), patiently).toBe(true)
    const password = (await shown.locator('dd .mono').last().textContent()) ?? ''
    expect(password).toMatch(/^\w{16}$/)
    await shown.getByRole('button', { name: '我已记下' }).click()
    await shown.waitFor({ state: 'hidden' })
    expect((await page.content()).includes(password)).toBe(false)

    const context = await stage.otherBrowser()
    const theirs = await context.newPage()
    await theirs.goto(stage.server.url)
    await theirs.getByLabel('登录名').fill('e2e-new')
    await theirs.getByLabel('密码', { exact: true }).fill(password)
    await theirs.keyboard.press('Enter')
    await theirs.getByRole('dialog', { name: '修改密码' }).waitFor()
    await context.close()
  })

  // proves: screen 13; message 已取消删除; message 删除成功!
  it('are deleted after a confirmation, or kept', async () => {
    await pressBehind(rowOf('先改的'), '删除')
    await question().getByText('将删除用户 先改的（e2e-new）').waitFor()
    await question().getByRole('button', { name: '取消' }).click()
    await page.getByText('已取消删除').waitFor()
    await pressBehind(rowOf('先改的'), '删除')
    await question().getByRole('button', { name: '删除' }).click()
    await page.getByText('删除成功!').waitFor()
    await rowOf('先改的').waitFor({ state: 'detached' })
    expect(stage.faults).toEqual([])
  })

  it('are made system users, and changed back, after a confirmation that says what it means', async () => {
    await page.goto(`${new URL(page.url()).origin}/system/user`)
    await pressBehind(rowOf('总部员工'), '设为系统管理员')
    await question().getByText('将把用户 总部员工（e2e-head）设为系统管理员。').waitFor()
    await question().getByRole('button', { name: '设为系统管理员' }).click()
    await rowOf('总部员工')
      .getByTitle(/系统管理员/)
      .waitFor()

    await pressBehind(rowOf('总部员工'), '取消系统管理员')
    await question().getByText('将取消用户 总部员工（e2e-head）的系统管理员身份。').waitFor()
    await question().getByRole('button', { name: '取消系统管理员' }).click()
    await rowOf('总部员工')
      .getByTitle(/系统管理员/)
      .waitFor({ state: 'detached' })
    expect(await rowOf('当前账号').getByText('取消系统管理员').count()).toBe(0)
  })
})
