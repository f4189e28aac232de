// The English of providers.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { providerTexts as Chinese } from './providers.texts.ts'

export const providerTexts: English<typeof Chinese> = {
  measure: 'provider',
  isOn: { 0: 'Disabled', 1: 'Enabled' },
  kinds: { oidc: 'OpenID Connect', wecom: 'WeCom', dingtalk: 'DingTalk', feishu: 'Feishu' },
  clientIds: { oidc: 'Client ID', wecom: 'AgentId', dingtalk: 'Client ID', feishu: 'App ID' },
  secrets: { oidc: 'Client secret', wecom: 'Secret', dingtalk: 'Client Secret', feishu: 'App Secret' },
  corpIds: { wecom: 'Corp ID', dingtalk: 'CorpId', feishu: 'Tenant Key' },
  fields: {
    kind: 'Kind',
    address: 'Service address',
    name: 'Name',
    issuer: 'Issuer',
    provider: 'Issuer or company',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    scopes: 'Scopes',
    rules: 'Admission',
    isEnabled: 'Enabled',
    returnAddress: 'Callback address',
    users: 'Users',
    createTime: 'Created',
    state: 'State',
  },
  unit: (count) => counted(count, 'user'),
  ruleCount: (count) => counted(count, 'rule'),
  add: 'Add provider',
  edit: 'Edit',
  editTitle: (name) => `Edit provider ${name}`,
  empty: 'No company sign-in yet',
  emptyHint:
    'Connect WeCom, DingTalk, Feishu or your identity provider (OpenID Connect) so that employees sign in with company accounts; passwords always remain.',
  emptyFiltered: 'No providers match',
  hints: {
    name: 'On the button of the sign-in page, e.g. “Company account”.',
    issuer: 'Issuer of the identity provider, e.g. https://id.example.com.',
    secretKept: 'Empty keeps it; required when address, company or client change',
    address:
      'Of a private or international service, e.g. https://open.larksuite.com; empty is the public one.',
    returnAddress: (address) => `Register the callback address ${address} with the identity provider`,
  },
  rules: {
    title: (n) => `Rule ${n}`,
    hint: 'The first rule that matches decides; it sets roles and organization at each sign-in. Without a match nobody signs in. “*” matches any value; mail addresses must be verified.',
    claim: 'Claim, e.g. groups',
    claims: { oidc: 'groups', company: 'department' },
    companyHint:
      'The first rule that matches decides; it sets roles and organization at each sign-in. Without a match nobody signs in. By department (its id), userid, position or name; “*” matches any value.',
    value: 'Value, e.g. operations',
    roles: 'Roles',
    organization: 'Organization',
    add: 'Add rule',
    remove: 'Delete',
  },
  remove: {
    ...en.removal,
    title: 'Delete provider',
    ask: (name) => `The provider “${name}” will be deleted.`,
    warn: 'Users who signed in with it keep their accounts, but can no longer sign in this way.',
  },
}
