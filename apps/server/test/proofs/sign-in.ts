// What is proved of signing in by a provider by the tests that run over all nouns (noun-proofs.ts).
import { insertSignInProvider } from '@voltkeep/contract'
import { asItIs, chooseFirstOf, press } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import { insertRole } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, shared } from '../references.ts'

const ofSystem = 'SYSTEM users alone keep providers, and see all there is'

export const proofs: NounProofs = {
  references: {
    listSignInProviders: ofSystem,
    insertSignInProvider: ofSystem,
    updateSignInProvider: ofSystem,
    deleteSignInProvider: ofSystem,
    nameSignInProviders: shared,
    startSignIn: 'of nobody yet',
    finishSignIn: 'of nobody yet',
  },
  scope: {
    listSignInProviders: { model: ofSystem, isFoundAnyway: true },
  },
  versions: {
    async updateSignInProvider(app, token) {
      const roleId = await insertRole(app.db)
      const form = () => ({
        name: fresh('企业登录'),
        issuer: 'https://id.example.com',
        clientId: 'voltkeep',
        rules: [{ claim: 'groups', value: 'ops', roleIds: [String(roleId)], organizationId: '1' }],
      })
      const { data } = await app.call(insertSignInProvider, form(), token)
      return { table: 'sign_in_provider', key: { id: data.id }, change: form }
    },
    finishSignIn: 'adds a session',
  },
  screens: [['/system/signIn', { 'sign-in by providers': asItIs }]],
  forms: {
    'a provider of sign-in': {
      of: 'session/providers/ProviderDialog',
      path: '/system/signIn',
      open: press('新增企业登录'),
      problems: ['请输入名称', '请输入颁发者地址', '请输入客户端 ID', '请添加允许登录的规则'],
      typed: { 颁发者地址: 'https://id.example.com' },
      async complete(form) {
        await form.locator('button').filter({ hasText: '添加规则' }).click()
        await form.getByPlaceholder('取值，如 运维部').fill('ops')
        const selects = form.locator('fieldset .ant-select')
        await chooseFirstOf(selects.nth(0))
        await chooseFirstOf(selects.nth(1))
      },
      sends: 'signInProvider/insert',
    },
  },
  additions: {
    listSignInProviders: reasons.companySignIn,
    insertSignInProvider: reasons.companySignIn,
    updateSignInProvider: reasons.companySignIn,
    deleteSignInProvider: reasons.companySignIn,
    nameSignInProviders: reasons.companySignIn,
    startSignIn: reasons.companySignIn,
    finishSignIn: reasons.companySignIn,
  },
}
