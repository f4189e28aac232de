import { asItIs, openFirst, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    readNewestAppAddress: shared,
    readEnums: shared,
    listDictionary: shared,
    listDictionaryTypes: shared,
    listCodes: shared,
    listSemaphores: shared,
    insertDictionaryEntry: shared,
    updateDictionaryEntry: shared,
    deleteDictionaryEntry: shared,
  },
  scope: {
    listDictionary: { model: 'the dictionary is the same for everyone', isFoundAnyway: true },
  },
  versions: {
    async updateDictionaryEntry(app) {
      const { id } = await app.db
        .insertInto('dictionary_entry')
        .values({ type: 'EVENT', code: 'VER1', name: '事件', order_num: 1 })
        .returning('id')
        .executeTakeFirstOrThrow()
      const form = { type: 'EVENT', code: 'VER1', note: '说明' }
      return {
        table: 'dictionary_entry',
        key: { id: String(id) },
        change: () => ({ ...form, name: fresh('改名') }),
      }
    },
  },
  screens: [
    ['/system/dictionary', { 'the dictionary': asItIs }],
    [
      '/system/dictionary?type=ALARM',
      { 'an alarm of the dictionary': openFirst, 'the form of an alarm': pressFirst('新增字典') },
    ],
  ],
  forms: {
    'a new entry of the dictionary': {
      of: 'dictionary/DictionaryDialog',
      path: '/system/dictionary',
      open: press('新增字典'),
      problems: ['请选择类型', '请输入编码', '请输入名称', '请输入备注'],
      typed: { 编码: 'X1' },
      sends: 'enum/insert',
    },
    'a new alarm of the dictionary': {
      of: 'dictionary/DictionaryDialog',
      path: '/system/dictionary?type=ALARM',
      open: press('新增字典'),
      problems: ['请输入编码', '请输入名称', '请输入备注', '请选择告警级别', '请选择解析方式'],
      typed: { 编码: 'X1' },
      sends: 'enum/insert',
    },
  },
  additions: {
    listCodes: reasons.plainReads,
    listSemaphores: reasons.plainReads,
    listDictionaryTypes: reasons.kept,
  },
}
