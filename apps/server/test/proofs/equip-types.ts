// What is proved of types of equipment, models and parts by the tests that run over all nouns (noun-proofs.ts).
import { asItIs, inDetail, openFirst, press, pressFirst, pressInDetail } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { TestApp } from '../app.ts'
import { insertModel } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listEquipTypes: shared,
    insertEquipType: shared,
    updateEquipType: shared,
    deleteEquipType: shared,
    listModels: shared,
    insertModel: shared,
    updateModel: shared,
    deleteModel: shared,
    listModelParts: shared,
    insertModelPart: shared,
    updateModelPart: shared,
    deleteModelPart: shared,
    listPartTypes: shared,
    insertPartType: shared,
    updatePartType: shared,
    deletePartType: shared,
  },
  versions: {
    async updateEquipType(app) {
      const { equip_type_id: id } = await modelOf(app, await insertModel(app.db))
      const change = () => ({ name: fresh('改名'), code: fresh('TYPEV'), classify: 'EC' })
      return { table: 'equip_type', key: { id: String(id) }, change }
    },
    async updatePartType(app) {
      await app.db.insertInto('part_type').values({ code: 'VERSIONS', name: '部件' }).execute()
      return { table: 'part_type', key: { code: 'VERSIONS' }, change: () => ({ name: fresh('改名') }) }
    },
    async updateModel(app) {
      const { id, equip_type_id } = await modelOf(app, await insertModel(app.db))
      const change = () => ({
        name: fresh('改名'),
        code: fresh('MODELV'),
        equipTypeId: String(equip_type_id),
      })
      return { table: 'equip_model', key: { id: String(id) }, change }
    },
    async updateModelPart(app) {
      const { id } = await app.db
        .insertInto('equip_model_part')
        .values({ equip_model_id: await insertModel(app.db), part_type: 'WIFI' })
        .returning('id')
        .executeTakeFirstOrThrow()
      const change = () => ({ partType: 'WIFI', name: fresh('改名') })
      return { table: 'equip_model_part', key: { id: String(id) }, change }
    },
  },
  screens: [
    [
      '/reference/equipType',
      {
        'equipment types': asItIs,
        'one equipment type': openFirst,
        'the form of an equipment type': pressFirst('新增设备类型'),
        'the form of a model': pressInDetail('新增型号'),
      },
    ],
    [
      '/reference/equipType?tab=parts',
      { 'part types': asItIs, 'the form of a part type': pressFirst('新增部件类型') },
    ],
  ],
  forms: {
    'a new type of device': {
      of: 'equipTypes/EquipTypeDialog',
      path: '/reference/equipType',
      open: press('新增设备类型'),
      problems: ['请输入设备类型名称', '请输入设备类型编码', '请选择设备类别'],
      sends: 'equipType/insert',
    },
    'a new model': {
      of: 'equipTypes/ModelDialog',
      path: '/reference/equipType',
      open: inDetail('新增型号'),
      problems: ['请输入型号名称', '请输入型号编码'],
      sends: 'model/insert',
    },
    'a new type of part': {
      of: 'equipTypes/PartTypeDialog',
      path: '/reference/equipType?tab=parts',
      open: press('新增部件类型'),
      problems: ['请输入部件类型编码', '请输入部件类型名称'],
      sends: 'partType/insert',
    },
    'a part of a model': {
      of: 'equipTypes/ModelPartDialog',
      path: '/reference/equipType',
      open: async (page) => {
        const model = page.locator('aside tbody tr').first()
        if (!(await model.isVisible())) {
          await page.locator('[data-key]').first().focus()
          await page.keyboard.press('Enter')
          await model.click()
        }
        await inDetail('新增部件')(page)
      },
      problems: ['请选择部件类型'],
      sends: 'model/add/part',
    },
  },
  additions: {
    insertPartType: reasons.kept,
    updatePartType: reasons.kept,
    deletePartType: reasons.kept,
  },
}

const modelOf = (app: TestApp, id: number) =>
  app.db
    .selectFrom('equip_model')
    .select(['id', 'equip_type_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
