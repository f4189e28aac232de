import { asItIs, press, pressFirst } from '../../../../e2e/reach.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listHwVersions: shared,
    insertHwVersion: shared,
    deleteHwVersion: shared,
  },
  scope: {
    listHwVersions: { model: 'hardware versions belong to models, which everyone may see' },
  },
  screens: [
    [
      '/equipment/hwVersion',
      { 'hardware versions': asItIs, 'the form of a hardware version': pressFirst('新增硬件版本') },
    ],
  ],
  forms: {
    'a new hardware version': {
      of: 'hwVersions/HwVersionDialog',
      path: '/equipment/hwVersion',
      open: press('新增硬件版本'),
      problems: [
        '设备类型不能为空',
        '设备型号不能为空',
        '部件不能为空',
        '版本名称不能为空',
        '版本号不能为空',
      ],
      sends: 'equip/hwVersion/cearte',
    },
  },
}
