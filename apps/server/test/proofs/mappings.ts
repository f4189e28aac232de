import { asItIs, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import { insertModel } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, shared, unnamed } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listMappings: shared,
    readMapping: shared,
    insertMapping: shared,
    updateMapping: shared,
    activateMapping: shared,
    deleteMapping: shared,
    tryMapping: unnamed,
    listMappedMessages: unnamed,
    replayMapping: unnamed,
  },
  scope: {
    listMappings: { model: 'mappings are the same for everyone', isFoundAnyway: true },
    listMappedMessages: {
      model: 'of one mapping: its own tests list it in a narrower scope',
      isFoundAnyway: true,
    },
  },
  versions: {
    async updateMapping(app) {
      const form = { topic: 'acme/{code}', format: 'json' as const, rules: [] }
      const { id } = await app.db
        .insertInto('mapping')
        .values({ name: fresh('映射'), draft: JSON.stringify({ ...form, commands: [] }) })
        .returning('id')
        .executeTakeFirstOrThrow()
      const modelIds = [String(await insertModel(app.db))]
      return {
        table: 'mapping',
        key: { id: String(id) },
        change: () => ({ ...form, modelIds, name: fresh('改名') }),
      }
    },
    activateMapping: 'takes the version of the mapping, which its own tests prove',
  },
  screens: [['/equipment/mapping', { mappings: asItIs, 'the form of a mapping': pressFirst('新增映射') }]],
  forms: {
    'a new mapping': {
      of: 'mappings/MappingDialog',
      path: '/equipment/mapping',
      open: press('新增映射'),
      problems: ['请输入映射名称', '请选择设备型号'],
      sends: 'mapping/insert',
    },
  },
  additions: {
    listMappings: reasons.otherMakers,
    readMapping: reasons.otherMakers,
    insertMapping: reasons.otherMakers,
    updateMapping: reasons.otherMakers,
    activateMapping: reasons.otherMakers,
    deleteMapping: reasons.otherMakers,
    tryMapping: reasons.otherMakers,
    listMappedMessages: reasons.otherMakers,
    replayMapping: reasons.otherMakers,
  },
}
