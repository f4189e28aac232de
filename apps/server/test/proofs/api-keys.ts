// What is proved of API keys by the tests that run over all nouns (noun-proofs.ts).
import { asItIs, press } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, limitedTo, operator, organization, ownOnly } from '../references.ts'

const keyForm = () => ({ name: fresh('密钥'), functionCodes: ['equip:list'] })

export const proofs: NounProofs = {
  references: {
    listApiKeys: 'names those of the caller’s organizations, by no id; its own tests list it as others',
    insertApiKey: [
      organization(({ organizationId }) => ({ ...keyForm(), organizationId })),
      operator((named) => ({ ...keyForm(), authorityEntities: limitedTo(named) })),
    ],
    rotateApiKey: 'another user’s is answered as what does not exist; its own tests ask for it',
    deleteApiKey: 'one of another organization is answered as what does not exist; its own tests ask for it',
    listKeyFunctions: ownOnly,
  },
  scope: {
    listApiKeys: { model: 'its own tests list it as users of several organizations' },
  },
  versions: {
    rotateApiKey: 'makes a new secret, whatever came before',
  },
  screens: [
    ['/system/apiKey', { 'keys of the API': asItIs }],
    ['/system/apiKey?tab=feed', { 'the feed of events': asItIs }],
  ],
  forms: {
    'a new key of the API': {
      of: 'users/keys/ApiKeyDialog',
      path: '/system/apiKey',
      open: press('新增密钥'),
      problems: ['请输入名称', '请选择功能权限'],
      sends: 'apiKey/insert',
    },
  },
  additions: {
    listApiKeys: reasons.otherSystems,
    insertApiKey: reasons.otherSystems,
    rotateApiKey: reasons.otherSystems,
    deleteApiKey: reasons.otherSystems,
    listKeyFunctions: reasons.otherSystems,
  },
}
