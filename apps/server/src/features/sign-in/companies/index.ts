import type { SignInProviderKind } from '@voltkeep/contract'
import type { CompanyKind } from './company.ts'
import { dingtalk } from './dingtalk.ts'
import { feishu } from './feishu.ts'
import { wecom } from './wecom.ts'

export { Stranger } from './asking.ts'

/** Providers that speak no OpenID Connect, each by its own way. */
export const companies: Readonly<Record<Exclude<SignInProviderKind, 'oidc'>, CompanyKind>> = {
  wecom,
  dingtalk,
  feishu,
}
