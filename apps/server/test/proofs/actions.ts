// What is proved of remote actions by the tests that run over all nouns (noun-proofs.ts).
import { asItIs, whenOpen } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceCode, deviceId, type Reference } from '../references.ts'

const acted: Reference = {
  to: 'device by id',
  input: ({ deviceId: id }) => ({ id, action: 'reportStatus', reason: '巡检' }),
  isOfDevice: true,
}

export const proofs: NounProofs = {
  references: {
    actOnDevice: [acted],
    listRemoteActions: [
      deviceId,
      deviceCode,
      { to: 'action by ids', input: ({ actionId }) => ({ ids: [actionId] }), isOfDevice: true },
    ],
  },
  scope: {
    listRemoteActions: { model: 'its own tests list it in a narrower scope' },
  },
  versions: {
    actOnDevice: 'adds an action',
  },
  screens: [['/maintenance/action', { 'remote actions': asItIs }]],
  forms: {
    'a remote action': {
      of: 'devices/actions/ActionDialog',
      path: '/equipment/list',
      open: async (page) => {
        const row = page.locator('[data-key]').filter({ hasText: /EC/ }).first()
        await row.getByRole('button', { name: '其他操作' }).click()
        await row.getByRole('button', { name: '重启', exact: true }).click()
        await whenOpen(page)
      },
      problems: ['请输入操作原因'],
      sends: 'equip/action/*',
    },
  },
  additions: {
    actOnDevice: reasons.living,
    listRemoteActions: reasons.living,
  },
}
