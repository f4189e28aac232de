// What is proved of packages by the tests that run over all nouns (noun-proofs.ts).
import {
  asItIs,
  clear,
  inDetail,
  inRow,
  openFirst,
  press,
  pressFirst,
  pressInDetail,
} from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { TestApp } from '../app.ts'
import type { NounProofs, Update } from '../noun-proofs.ts'
import { insertPackage, remark } from '../packages.ts'
import { fresh, shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listFirmware: shared,
    uploadFirmware: shared,
    insertFirmware: 'names a file that the caller has uploaded: its own tests name one of somebody else',
    updateFirmware: shared,
    countFirmwareReach: shared,
    deleteFirmware: shared,
    readFirmwareJson: shared,
    downloadFirmware: shared,
    listSoftwareVersions: shared,
    uploadSoftwareVersion: shared,
    insertSoftwareVersion:
      'names a file that the caller has uploaded: the tests of firmware name one of somebody else',
    updateSoftwareVersion: shared,
    countSoftwareVersionReach: shared,
    deleteSoftwareVersion: shared,
    listAutoUpgradeVersions: shared,
    readUpgradeJson: shared,
  },
  scope: {
    listFirmware: { model: 'packages belong to boards, which everyone may see' },
    listSoftwareVersions: { model: 'packages belong to boards, which everyone may see' },
    listAutoUpgradeVersions: { model: 'packages belong to boards, which everyone may see' },
  },
  versions: {
    updateFirmware: packageUpdate,
    updateSoftwareVersion: packageUpdate,
    uploadFirmware: 'adds a file',
    uploadSoftwareVersion: 'adds a file',
  },
  screens: [
    [
      '/upgrade/firmware',
      {
        firmware: asItIs,
        'one package': openFirst,
        'the form of a package': pressFirst('新增固件'),
        'the form of a known package': pressInDetail('编辑'),
        'the JSON of an upgrade': pressInDetail('升级 JSON'),
      },
    ],
    ['/upgrade/softwareVersion', { 'software versions': asItIs }],
  ],
  forms: {
    'a package': {
      of: 'firmware/PackageDialog',
      path: '/upgrade/firmware',
      open: inDetail('编辑'),
      spoil: clear('中文说明', '法文说明'),
      problems: ['版本说明不能为空', '版本说明不能为空'],
      sends: 'firmware/update/*',
    },
    'a software version': {
      of: 'firmware/PackageDialog',
      path: '/upgrade/softwareVersion',
      open: inRow('编辑'),
      spoil: clear('德文说明'),
      problems: ['版本说明不能为空'],
      sends: 'softwareVersion/update/*',
    },
    'a new package': {
      of: 'firmware/PackageDialog',
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
  },
  additions: {
    downloadFirmware: reasons.sheet,
    countFirmwareReach: reasons.confirmed,
    countSoftwareVersionReach: reasons.confirmed,
  },
}

async function packageUpdate(app: TestApp): Promise<Update> {
  const { id, fileId, board, version } = await insertPackage(app.db)
  const form = { filePath: `firmware/${fileId}`, pcbCode: board.code, partType: board.partType, version }
  return {
    table: 'software_package',
    key: { id: String(id) },
    versionField: 'lockVersion',
    change: () => ({ ...form, remark: { ...remark, zh: fresh('说明') } }),
  }
}
