import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  cancelUpgradeTask,
  deleteFirmware,
  deleteSoftwareVersion,
  downloadFirmware,
  insertFirmware,
  insertSoftwareVersion,
  insertUpgradeTask,
  listAutoUpgradeVersions,
  listFirmware,
  listSoftwareVersions,
  type PackageRow,
  readFirmwareJson,
  readUpgradeJson,
  updateFirmware,
  updateSoftwareVersion,
} from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertModel } from '../../../test/factories.ts'
import { insertBoard, postPackage, remark, type Uploaded, uploadPackage } from '../../../test/packages.ts'

const functionCodes = [
  ...['firmware:list', 'firmware:upload', 'firmware:insert', 'firmware:update', 'firmware:delete'],
  ...['softwareVersion:list', 'softwareVersion:upload', 'softwareVersion:insert'],
  ...['softwareVersion:update', 'softwareVersion:delete'],
]

const app = await appOfTests()
const token = (await app.asUser({ functionCodes })).token
const stranger = (await app.asUser({ functionCodes })).token
const board = await insertBoard(app.db)

let minor = 0
/** A file name for the board with a new version. */
const freshName = (of = board, rest = '_R.bin') => `${of.code}_EC_MASTER_V3.${++minor}${rest}`
const uploaded = (name = freshName(), as = token) => uploadPackage(app, as, name)
const formOf = (upload: Uploaded, changes: object = {}) => ({ ...upload, remark, ...changes })
async function added(changes: object = {}, name = freshName()): Promise<{ id: string; upload: Uploaded }> {
  const upload = await uploaded(name)
  const answer = await app.call(insertFirmware, formOf(upload, changes), token)
  expect(answer).toMatchObject({ code: 200, message: '创建成功' })
  return { id: answer.data.id, upload }
}
const rowOf = async (id: string): Promise<PackageRow> => {
  const [row] = (await app.call(listFirmware, { ids: [id] }, token)).data
  if (!row) throw new Error(`no package ${id}`)
  return row
}
const countFiles = async () => (await app.db.selectFrom('stored_file').select('id').execute()).length

describe('an upload', () => {
  // proves: call POST /firmware/upload; call POST /softwareVersion/upload
  test.each(['/firmware/upload', '/softwareVersion/upload'])(
    'at %s returns the fields from the file name, and its hashes',
    async (path) => {
      const bytes = Buffer.from('no header at all')
      const name = `${board.code}_PART_TYPE_EC_MASTER_V2.10_HW3_M2_T.bin`
      const hashed = (algorithm: string) => createHash(algorithm).update(bytes).digest('hex')
      const answer = await postPackage(app, token, name, { bytes, path, fields: { type: 'create' } })
      const { fileUrl } = answer.data as Uploaded
      const file = await fetch(app.url + fileUrl, { headers: { authorization: token } })
      expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes)
      expect(answer.data).toMatchObject({
        fileName: name,
        filePath: expect.stringMatching(/^firmware\/[0-9a-f-]{36}$/),
        fileSize: bytes.length,
        md5: hashed('md5'),
        sha256: hashed('sha256'),
        pcbCode: board.code,
        pcbName: `${board.code}板`,
        applyTo: expect.stringContaining('设备类型'),
        equipTypeId: String(board.equipTypeId),
        partType: 'PART_TYPE_EC_MASTER',
        partTypeName: '主控',
        version: '2.10',
        hwVersion: '3',
        mcuNum: 2,
        fgRelease: 0,
      })
    },
  )

  test('reads the part in any case, and a board whose code contains underscores', async () => {
    const underscored = await insertBoard(app.db, { code: 'A_B_C', partType: 'WIFI' })
    expect(await uploaded(`${underscored.code}_wifi_V1.0_R.tar.gz`)).toMatchObject({
      pcbCode: 'A_B_C',
      partType: 'WIFI',
      hwVersion: null,
      mcuNum: null,
      fgRelease: 1,
    })
    expect(await uploaded(`${board.code}_ec_master_V1.0_R.bin`)).toMatchObject({
      partType: 'PART_TYPE_EC_MASTER',
    })
  })

  const mcuboot = Buffer.alloc(64)
  mcuboot.writeUInt32LE(0x96f3b83d, 0)
  mcuboot.set([1, 5], 20)

  test.each([
    ['a name that follows no convention', () => 'firmware.bin', undefined, /文件名应为 <板卡编号>_<部件>_V/],
    ['an unknown board', () => 'NONE1_EC_MASTER_V1.0_R.bin', undefined, /^板卡 NONE1 不存在，请先登记板卡$/],
    [
      'another part than the board’s',
      () => `${board.code}_WIFI_V1.0_R.bin`,
      undefined,
      /^文件名中的部件 WIFI 与板卡 \S+ 的部件 PART_TYPE_EC_MASTER 不一致$/,
    ],
    [
      'another version in the header',
      () => `${board.code}_EC_MASTER_V1.4_R.bin`,
      mcuboot,
      /^文件名中的版本为 1\.4，MCUboot 镜像头部的版本为 1\.5\.0，两者不一致$/,
    ],
    [
      'a header that is cut off',
      () => `${board.code}_EC_MASTER_V1.5_R.bin`,
      mcuboot.subarray(0, 20),
      /不完整/,
    ],
    ['an empty file', () => `${board.code}_EC_MASTER_V1.6_R.bin`, Buffer.alloc(0), /空/],
  ] as [string, () => string, Buffer | undefined, RegExp][])(
    'refuses %s, and keeps nothing',
    async (_, name, bytes, message) => {
      const before = await countFiles()
      const answer = await postPackage(app, token, name(), bytes ? { bytes } : {})
      expect(answer).toMatchObject({
        status: 400,
        message: expect.stringMatching(message),
        data: [{ field: 'file' }],
      })
      expect(await countFiles()).toBe(before)
    },
  )

  test('accepts a file whose header matches its name', async () => {
    const name = `${board.code}_EC_MASTER_V1.5_R.bin`
    expect((await postPackage(app, token, name, { bytes: mcuboot })).code).toBe(200)
  })

  test('refuses an existing version, and stores nothing', async () => {
    const { upload } = await added()
    const before = await countFiles()
    expect(await postPackage(app, token, upload.fileName)).toMatchObject({
      status: 409,
      refusal: 'packageVersionTaken',
      message: '该版本已存在',
    })
    expect(await countFiles()).toBe(before)
  })

  test('requires a file', async () => {
    const answer = await app.request('/api/firmware/upload', {
      method: 'POST',
      body: new FormData(),
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer).toMatchObject({ status: 400, message: '请上传文件' })
  })
})

describe('a package', () => {
  // proves: call POST /firmware/list; call POST /firmware/insert; call POST /firmware/delete
  // proves: call POST /softwareVersion/list
  test('is added, found in both lists, and deleted; the operation log records it', async () => {
    const { id, upload } = await added({ isAutoUpgrade: 1 })
    const expected = {
      ...upload,
      id,
      isRelease: true,
      isAutoUpgrade: true,
      remark: JSON.stringify(remark),
      createBy: expect.any(String),
      lockVersion: 1,
    }
    const byVersion = { version: upload.version, pcbCode: board.code }
    expect(await app.call(listFirmware, byVersion, token)).toMatchObject({ total: 1, data: [expected] })
    expect(await app.call(listSoftwareVersions, byVersion, token)).toMatchObject({ data: [expected] })
    expect(await app.call(deleteFirmware, { versionId: id }, token)).toMatchObject({
      code: 200,
      message: '删除成功!',
    })
    expect((await app.call(listFirmware, byVersion, token)).total).toBe(0)
    expect(await app.call(deleteSoftwareVersion, { id }, token)).toMatchObject({
      status: 404,
      message: '固件不存在',
    })
    const logged = await app.db
      .selectFrom('operation_log')
      .select(['summary', 'target', 'result_code as code'])
      .where('target', '=', `固件 ${board.code} V${upload.version}`)
      .orderBy('id')
      .execute()
    expect(logged).toMatchObject([
      { summary: '新增固件', code: 200 },
      { summary: '删除固件', code: 200 },
    ])
    // The version can be used again.
    expect((await postPackage(app, token, upload.fileName)).code).toBe(200)
  })

  // proves: call POST /softwareVersion/insert; call POST /softwareVersion/update/{id}
  // proves: call DELETE /softwareVersion/delete
  test('is added, changed and deleted as a software version', async () => {
    const upload = await uploadPackage(app, token, freshName(), { path: '/softwareVersion/upload' })
    const { data, message } = await app.call(insertSoftwareVersion, formOf(upload), token)
    expect(message).toBe('创建成功')
    const edit = formOf(upload, { id: data.id, remark: { ...remark, de: 'Anders' }, isAutoUpgrade: true })
    expect(await app.call(updateSoftwareVersion, edit, token)).toMatchObject({ code: 200 })
    const row = await rowOf(data.id)
    expect(row).toMatchObject({ fileName: upload.fileName, isRelease: true, isAutoUpgrade: true })
    expect(JSON.parse(row.remark)).toEqual({ ...remark, de: 'Anders' })
    const removed = await app.request(`/api/softwareVersion/delete?versionId=${data.id}`, {
      method: 'DELETE',
      headers: { authorization: token },
    })
    expect(removed).toMatchObject({ code: 200, message: '删除成功!' })
    expect((await app.call(listSoftwareVersions, { ids: [data.id] }, token)).total).toBe(0)
  })

  // proves: call GET /softwareVersion/autoupgrade/list
  test('is listed for automatic upgrades only if its form says so', async () => {
    const own = await insertBoard(app.db)
    const [offered] = [
      await added({ isAutoUpgrade: true }, freshName(own)),
      await added({ isAutoUpgrade: false }, freshName(own)),
    ]
    const { data } = await app.call(listAutoUpgradeVersions, { pcbCode: own.code }, token)
    expect(data.map(({ id }) => id)).toEqual([offered.id])
  })

  // proves: call POST /firmware/list; call POST /softwareVersion/list; rule isRelease
  test.each([listFirmware, listSoftwareVersions])(
    'is filtered at $path by type, part, version, board and kind, newest first',
    async (list) => {
      const own = await insertBoard(app.db, { partType: 'BMS' })
      const add = async (name: string) => (await added({}, `${own.code}_BMS_${name}.bin`)).id
      const [first, second, test] = [await add('V1.2_R'), await add('V2.0_R'), await add('V1.2_T')]
      const idsBy = async (filter: object) =>
        (await app.call(list, { equipTypeId: String(own.equipTypeId), ...filter }, token)).data.map(
          ({ id }) => id,
        )
      expect(await idsBy({})).toEqual([test, second, first])
      expect(await idsBy({ version: '1.' })).toEqual([test, first])
      expect(await idsBy({ version: 'V2.0' })).toEqual([second])
      expect(await idsBy({ version: '%' })).toEqual([])
      expect(await idsBy({ isRelease: true })).toEqual([second, first])
      expect(await idsBy({ isRelease: false })).toEqual([test])
      expect((await rowOf(second)).isRelease).toBe(true)
      expect(await rowOf(test)).toMatchObject({ isRelease: false, fgRelease: 0 })
      expect(await idsBy({ partType: 'bms' })).toEqual([test, second, first])
      expect(await idsBy({ partType: 'wifi' })).toEqual([])
      expect(await idsBy({ pcbCode: own.code.toLowerCase(), pageSize: 1, pageNum: 2 })).toEqual([second])
    },
  )

  // proves: rule firmware.file; rule firmware.remark; rule firmware.pcbCode; rule firmware.partType
  // proves: rule firmware.version; message 请上传文件; message 版本说明不能为空; message 板卡编号不能为空; message 固件类型不能为空
  // proves: message 软件版本不能为空; constant description languages
  test('reports every missing field, including the locked ones', async () => {
    const description = (language: string) => ({ field: `remark.${language}`, message: '版本说明不能为空' })
    const missing = {
      status: 400,
      message: '请上传文件',
      data: [
        { field: 'filePath', message: '请上传文件' },
        { field: 'pcbCode', message: '板卡编号不能为空' },
        { field: 'partType', message: '固件类型不能为空' },
        { field: 'version', message: '软件版本不能为空' },
        ...['zh', 'en', 'de', 'fr'].map(description),
      ],
    }
    const admin = await app.asAdmin()
    for (const endpoint of [insertFirmware, insertSoftwareVersion])
      expect(await app.call(endpoint, {}, admin)).toMatchObject(missing)
    expect(await app.call(insertFirmware, { remark: { zh: ' ', en: 'x' } }, admin)).toMatchObject({
      data: [{}, {}, {}, {}, ...['zh', 'de', 'fr'].map(description)],
    })
    expect(await app.call(insertFirmware, { remark: 'not JSON' }, admin)).toMatchObject({
      data: [{}, {}, {}, {}, { field: 'remark', message: '版本说明格式有误' }],
    })
  })

  test('accepts its description as JSON text as well', async () => {
    const { id } = await added({ remark: JSON.stringify(remark) })
    expect(JSON.parse((await rowOf(id)).remark)).toEqual(remark)
  })

  // proves: rule firmware locked fields
  test.each([
    ['pcbCode', 'OTHER', /应为 PCB/],
    ['partType', 'WIFI', /应为 PART_TYPE_EC_MASTER/],
    ['version', '9.9', /应为 3\./],
    ['fgRelease', 0, /应为 1/],
    ['isRelease', false, /应为 1/],
    ['md5', '0'.repeat(32), /应为/],
    ['fileSize', 1, /应为/],
    ['hwVersion', '7', /应为 无/],
    ['mcuNum', 7, /应为 无/],
    ['equipTypeId', '99999', /应为/],
  ])('is refused where %s is not the file’s', async (field, value, message) => {
    const form = formOf(await uploaded(), { [field]: value })
    expect(await app.call(insertFirmware, form, token)).toMatchObject({
      status: 400,
      data: [{ field, message: expect.stringMatching(message) }],
    })
  })

  test('uses a file of the user’s own upload, once', async () => {
    const refused = { status: 400, data: [{ field: 'filePath', message: '文件不存在或已失效，请重新上传' }] }
    const form = formOf(await uploaded())
    expect(await app.call(insertFirmware, form, stranger)).toMatchObject(refused)
    for (const filePath of ['firmware/0', 'annex/0', 'firmware/00000000-0000-4000-8000-000000000000'])
      expect(await app.call(insertFirmware, { ...form, filePath }, token)).toMatchObject(refused)
    expect(await app.call(insertFirmware, form, token)).toMatchObject({ code: 200 })
    expect(await app.call(insertFirmware, form, token)).toMatchObject({ status: 409 })
    const [row] = (await app.call(listFirmware, { version: form.version, pcbCode: board.code }, token)).data
    await app.call(deleteFirmware, { versionId: row?.id ?? '' }, token)
    expect(await app.call(insertFirmware, form, token)).toMatchObject(refused)
  })

  test('is unique for its version, however many are added at the same time', async () => {
    const name = freshName()
    const forms = await Promise.all(Array.from({ length: 4 }, async () => formOf(await uploaded(name))))
    const answers = await Promise.all(forms.map((form) => app.call(insertFirmware, form, token)))
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409])
    expect(answers.find(({ code }) => code === 409)).toMatchObject({ refusal: 'packageVersionTaken' })
  })
})

describe('an edit', () => {
  /** The form's values, as the console fills them in. */
  const editOf = ({ remark: text, ...row }: PackageRow) => ({
    ...row,
    remark: JSON.parse(text) as typeof remark,
  })
  const replace = (name: string, versionId?: string) =>
    postPackage(app, token, name, {
      bytes: Buffer.from('another build'),
      fields: { type: 'update', ...(versionId !== undefined && { versionId }) },
    })

  // proves: call POST /firmware/update/{id}
  test('keeps the file, and changes descriptions and automatic upgrade', async () => {
    const { id } = await added()
    const row = await rowOf(id)
    const edit = { ...editOf(row), remark: { ...remark, zh: '改了' }, isAutoUpgrade: true }
    expect(await app.call(updateFirmware, edit, token)).toMatchObject({ code: 200 })
    const changed = await rowOf(id)
    expect(changed).toMatchObject({ filePath: row.filePath, isAutoUpgrade: true, lockVersion: 2 })
    expect(JSON.parse(changed.remark)).toMatchObject({ zh: '改了', en: remark.en })
  })

  test('accepts another file of the same board, part and version', async () => {
    const { id, upload } = await added()
    const answer = await replace(upload.fileName, id)
    expect(answer.code).toBe(200)
    const file = answer.data as Uploaded
    expect(file.sha256).not.toBe(upload.sha256)
    const edit = { ...editOf(await rowOf(id)), ...file }
    expect(await app.call(updateFirmware, edit, stranger)).toMatchObject({
      status: 400,
      data: [{ field: 'filePath' }],
    })
    expect(await app.call(updateFirmware, edit, token)).toMatchObject({ code: 200 })
    expect(await rowOf(id)).toMatchObject({ filePath: file.filePath, sha256: file.sha256, id })
  })

  test('refuses a file of another version, and stores nothing of it', async () => {
    const { id, upload } = await added()
    const before = await countFiles()
    expect(await replace(freshName(), id)).toMatchObject({
      status: 400,
      data: [
        {
          field: 'file',
          message: `文件与所修改的固件不一致：应为 ${upload.fileName.replace('EC_', 'PART_TYPE_EC_').replace('.bin', '')}`,
        },
      ],
    })
    expect(await replace(freshName(board, '_T.bin'))).toMatchObject({
      status: 400,
      message: '还没有相同板卡、部件和版本的固件，请新增',
    })
    expect(await replace(upload.fileName, '99999')).toMatchObject({ status: 404, message: '固件不存在' })
    expect(await countFiles()).toBe(before)
    const other = await uploaded()
    expect(await app.call(updateFirmware, { ...editOf(await rowOf(id)), ...other }, token)).toMatchObject({
      status: 400,
      data: [{ field: 'filePath' }],
    })
  })

  // proves: rule firmware locked fields
  test('refuses changes of locked fields, and reports missing ones', async () => {
    const { id } = await added()
    const edit = editOf(await rowOf(id))
    expect(await app.call(updateFirmware, { ...edit, version: '9.9' }, token)).toMatchObject({
      status: 400,
      data: [{ field: 'version' }],
    })
    expect(await app.call(updateFirmware, { id, remark: { zh: 'x' } }, token)).toMatchObject({
      status: 400,
      message: '请上传文件',
    })
    expect(await app.call(updateFirmware, { ...edit, id: '99999' }, token)).toMatchObject({ status: 404 })
  })
})

test('a package in use by a task cannot be deleted until the task has ended, but its file replaced', async () => {
  const admin = await app.asAdmin()
  const { id: deviceId } = await insertDevice(app.db, {
    modelId: await insertModel(app.db, { equipTypeId: board.equipTypeId }),
  })
  await app.db
    .insertInto('device_version')
    .values({
      device_id: deviceId,
      part_type: board.partType,
      addr_id: '0',
      version: '1.0',
      reported_at: new Date(),
    })
    .execute()
  const { id, upload } = await added()
  const task = await app.call(
    insertUpgradeTask,
    { softwareVersionId: id, upgradeTime: '2099-01-01 00:00:00' },
    admin,
  )
  expect(task.code).toBe(200)
  expect(await app.call(deleteFirmware, { versionId: id }, token)).toMatchObject({
    status: 409,
    message: '升级任务正在使用该固件，不能删除',
  })
  const file = (
    await postPackage(app, token, upload.fileName, {
      bytes: Buffer.from('another build'),
      fields: { type: 'update', versionId: id },
    })
  ).data as Uploaded
  expect(await app.call(updateFirmware, { ...formOf(file), id }, token)).toMatchObject({ code: 200 })
  const described = { ...formOf(file, { remark: { ...remark, zh: '补充说明' } }), id }
  expect(await app.call(updateFirmware, described, token)).toMatchObject({ code: 200 })
  expect(await app.call(cancelUpgradeTask, { id: task.data.id }, admin)).toMatchObject({ code: 200 })
  expect(await app.call(deleteFirmware, { versionId: id }, token)).toMatchObject({ code: 200 })
})

describe('the upgrade JSON', () => {
  // proves: call GET /firmware/json; call GET /equip/version/upgrade/json
  test('is what a device receives, with an address that serves the file without a token', async () => {
    const { id, upload } = await added({}, freshName(board, '_HW2_M1_R.bin'))
    const answer = await app.call(readFirmwareJson, { versionId: id }, token)
    expect(answer.data).toEqual({
      partType: 'PART_TYPE_EC_MASTER',
      pcbCode: board.code,
      version: upload.version,
      hwVersion: '2',
      mcuNum: 1,
      fileName: upload.fileName,
      url: expect.any(String),
      sizeBytes: upload.fileSize,
      md5: upload.md5,
      sha256: upload.sha256,
    })
    expect((await app.call(readUpgradeJson, { versionId: id }, token)).data).toMatchObject({
      sha256: upload.sha256,
    })
    const { pathname, search } = new URL(answer.data.url)
    const file = await fetch(app.url + pathname + search)
    const bytes = Buffer.from(await file.arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(upload.sha256)
  })

  test('requires an existing package', async () => {
    const missing = { status: 404, message: '固件不存在' }
    expect(await app.call(readFirmwareJson, { versionId: '99999' }, token)).toMatchObject(missing)
    expect(await app.call(readFirmwareJson, {}, token)).toMatchObject({
      status: 400,
      message: '固件不能为空',
    })
  })
})

describe('the download', () => {
  const get = (fileUrl: string, as = token) =>
    fetch(app.url + fileUrl, { headers: { authorization: `Bearer ${as}` } })
  const gone = { status: 404, message: '下载地址不存在' }

  test('returns the file; a file without a package only to the user who uploaded it', async () => {
    const { upload } = await added()
    const answer = await get(upload.fileUrl, stranger)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(await answer.text()).toBe(`image ${upload.fileName}`)
    const { filePath } = await uploaded()
    expect(await app.call(downloadFirmware, { filePath }, stranger)).toMatchObject(gone)
    expect((await get(`/api/firmware/download?filePath=${filePath}`)).status).toBe(200)
    expect(await app.call(downloadFirmware, { filePath: 'firmware/0' }, token)).toMatchObject(gone)
  })

  test('and the JSON report a missing file', async () => {
    const { id, upload } = await added()
    // As after the loss of the disk.
    rmSync(join(app.config.dataDir, 'files'), { recursive: true })
    expect(await app.call(readFirmwareJson, { versionId: id }, token)).toMatchObject(gone)
    expect(await app.call(downloadFirmware, { filePath: upload.filePath }, token)).toMatchObject(gone)
  })
})
