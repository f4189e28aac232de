import { deleteBoard, listBoards, saveBoard } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Boards } from './boards.service.ts'

export function mountBoards(api: Api, boards: Boards): void {
  api.mount(listBoards, ({ input }) => boards.listBoards(input))
  api.mount(saveBoard, ({ actor, input }) => boards.saveBoard(actor, input))
  api.mount(deleteBoard, ({ actor, input }) => boards.deleteBoard(actor, input.id))
}
