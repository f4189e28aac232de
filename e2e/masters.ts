import { insertFirmware, listEquipTypes, saveBoard, uploadFirmware } from '@voltkeep/contract'
import type { Stage } from './harness.ts'

// Packages for the master controllers of cabinets, for tests of upgrades.

export const master = 'PART_TYPE_EC_MASTER'
const pcbCode = 'E2EMB'

export async function saveMasterBoard(stage: Stage): Promise<void> {
  const cabinet = (await stage.call(listEquipTypes, {})).find(({ classify }) => classify === 'EC')
  await stage.call(saveBoard, {
    pcbCode,
    pcbName: '主控板',
    partType: master,
    equipTypeId: cabinet?.id ?? '',
  })
}

const remarkOf = (said: string) => ({ zh: said, en: said, de: said, fr: said })

/** Uploads a release or a test version for the board; returns its id. */
export async function uploadMasterPackage(
  stage: Stage,
  version: string,
  { remark = remarkOf('修复已知问题'), kind = 'R' as 'R' | 'T' } = {},
): Promise<string> {
  const token = await stage.server.client.signIn('admin', stage.server.adminPassword)
  const form = new FormData()
  form.set('type', 'create')
  form.set('file', new Blob(['firmware '.repeat(1_000)]), `${pcbCode}_EC_MASTER_V${version}_${kind}.bin`)
  const answer = await fetch(`${stage.server.url}/api${uploadFirmware.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  const { data } = (await answer.json()) as { data: { filePath: string } }
  const { id } = await stage.call(insertFirmware, {
    filePath: data.filePath,
    pcbCode,
    partType: master,
    version,
    remark,
  })
  return id
}
