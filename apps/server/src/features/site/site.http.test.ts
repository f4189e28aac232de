import { listReleases, readCompany } from '@voltkeep/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../../../test/app.ts'
import { insertModel } from '../../../test/factories.ts'
import { equipTypeOf, insertBoard, insertPackage, remark } from '../../../test/packages.ts'

const app = await createTestApp({
  COMPANY_NAME: '深圳某某能源有限公司',
  COMPANY_ADDRESS: '深圳市南山区科技园1号',
  COMPANY_ADDRESS_EN: '1 Keji Road, Shenzhen',
  AGREEMENT_DATE: '2026-11-01',
})
afterAll(() => app.close())

describe('the company that runs the platform', () => {
  // proves: rule public routes
  test('is returned to anyone as configured, in English as far as available', async () => {
    expect((await app.call(readCompany, {})).data).toEqual({
      name: '深圳某某能源有限公司',
      nameEn: '深圳某某能源有限公司',
      address: '深圳市南山区科技园1号',
      addressEn: '1 Keji Road, Shenzhen',
      agreementDate: '2026-11-01',
    })
  })

  test('is empty where nothing is configured', async () => {
    const bare = await createTestApp()
    try {
      const { data } = await bare.call(readCompany, {})
      expect(new Set(Object.values(data))).toEqual(new Set([null]))
    } finally {
      await bare.close()
    }
  })
})

describe('release notes', () => {
  /** Each read uses a new page size, because answers are cached for half a minute. */
  let pageSize = 20
  const read = (input: object = {}) => app.call(listReleases, { pageSize: ++pageSize, ...input })

  test('are returned to anyone, newest first, by part and device, without test versions', async () => {
    const modelId = await insertModel(app.db)
    const board = await insertBoard(app.db, {
      equipTypeId: await equipTypeOf(app.db, modelId),
      modelIds: [modelId],
    })
    await insertPackage(app.db, { board, version: '1.4' })
    await insertPackage(app.db, { board, version: '1.10' })
    await insertPackage(app.db, { board, version: '2.0', isRelease: false })
    const deleted = await insertPackage(app.db, { board, version: '1.11' })
    await app.db
      .updateTable('software_package')
      .set({ deleted_at: new Date() })
      .where('id', '=', deleted.id)
      .execute()
    const { model, type } = await app.db
      .selectFrom('equip_model as m')
      .innerJoin('equip_type as t', 't.id', 'm.equip_type_id')
      .select(['m.name as model', 't.name as type'])
      .where('m.id', '=', modelId)
      .executeTakeFirstOrThrow()

    const { data, total } = await read()
    expect(total).toBe(2)
    expect(data.map(({ version }) => version)).toEqual(['1.10', '1.4'])
    expect(data[0]).toEqual({
      version: '1.10',
      partType: 'PART_TYPE_EC_MASTER',
      partTypeName: '主控',
      equipClassify: 'EC',
      equipTypeName: type,
      models: [model],
      releaseTime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      note: remark.zh,
    })
    const beyond = await read({ pageNum: 3 })
    expect(beyond).toMatchObject({ data: [], total: 2 })
  })

  test('are one entry for any number of boards and hardware versions', async () => {
    const before = (await read()).total ?? 0
    const first = await insertBoard(app.db)
    const second = await insertBoard(app.db, { equipTypeId: first.equipTypeId })
    await insertPackage(app.db, { board: first, version: '3.0' })
    await insertPackage(app.db, { board: first, version: '3.0', hwVersion: '2' })
    await insertPackage(app.db, { board: second, version: '3.0' })
    expect((await read()).total).toBe(before + 1)
  })

  // proves: constant description languages
  test.each([
    ['zh-CN', remark.zh],
    ['en', remark.en],
    ['de-AT,de,en', remark.de],
    ['fr-CH', remark.fr],
    ['ja,de', remark.de],
    ['ja', remark.en],
    ['%00', remark.en],
  ])('are returned in the language of the visitor: %s', async (language, note) => {
    expect(new Set((await read({ language })).data.map((row) => row.note))).toEqual(new Set([note]))
  })

  test('are read from the database again only after a while, for any caller', async () => {
    const input = { pageSize: 50, language: 'fr' }
    const before = (await app.call(listReleases, input)).total ?? 0
    await insertPackage(app.db, { version: '4.0' })
    expect((await app.call(listReleases, input)).total).toBe(before)
  })

  test('are limited to pages of fifty', async () => {
    expect(await read({ pageSize: 51 })).toMatchObject({ status: 400, message: '每页条数不能大于 50' })
  })
})
