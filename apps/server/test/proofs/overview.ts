import type { Page } from 'playwright-core'
import { patiently } from '../../../../e2e/patiently.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { unnamed } from '../references.ts'

const changePassword = async (page: Page) => {
  await page.getByRole('button', { name: /^账号/ }).click()
  await page.getByRole('menuitem', { name: '修改密码' }).click()
  await page.getByRole('dialog', { name: '修改密码' }).waitFor(patiently)
}
const settings = async (page: Page) => {
  await page.getByRole('button', { name: /^账号/ }).click()
  await page.getByRole('menuitem', { name: '个人设置' }).click()
  await page.getByRole('dialog', { name: '个人设置' }).waitFor(patiently)
}
const signOut = async (page: Page) => {
  await page.getByRole('button', { name: /^账号/ }).click()
  await page.getByRole('menuitem', { name: '退出登录' }).click()
  await page.locator('dialog[open]').waitFor(patiently)
}

export const proofs: NounProofs = {
  references: {
    readOverview: unnamed,
    readActiveLevels: unnamed,
  },
  screens: [
    [
      '/dashboard',
      {
        'the first page': async (page) => page.getByText(/近 \d+ 天新增告警/).waitFor(patiently),
        'the personal settings': settings,
        'the form of a new password': changePassword,
        'the question before signing out': signOut,
      },
    ],
  ],
  additions: {
    readOverview: reasons.supervision,
    readActiveLevels: reasons.supervision,
  },
}
