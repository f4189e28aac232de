import { asItIs, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { insertBoard } from '../packages.ts'
import { fresh, shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listBoards: shared,
    saveBoard: shared,
    deleteBoard: shared,
  },
  scope: {
    listBoards: { model: 'boards belong to models, which everyone may see' },
  },
  versions: {
    async saveBoard(app) {
      const { id, code, equipTypeId, partType } = await insertBoard(app.db)
      const form = { pcbCode: code, equipTypeId: String(equipTypeId), partType }
      return {
        table: 'pcb_board',
        key: { id: String(id) },
        change: () => ({ ...form, pcbName: fresh('改名') }),
      }
    },
  },
  screens: [['/upgrade/board', { boards: asItIs, 'the form of a board': pressFirst('新增板卡') }]],
  forms: {
    'a new board': {
      of: 'boards/BoardDialog',
      path: '/upgrade/board',
      open: press('新增板卡'),
      problems: ['板卡编号不能为空', '板卡名称不能为空', '设备类型不能为空', '部件不能为空'],
      sends: 'pcb/save',
    },
  },
  additions: {
    deleteBoard: reasons.kept,
  },
}
