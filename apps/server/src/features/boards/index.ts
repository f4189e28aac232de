import { feature } from '../../platform/feature.ts'
import { mountBoards } from './boards.routes.ts'
import { boardSeeds } from './boards.seeds.ts'
import { createBoards } from './boards.service.ts'

export { type Board, boardAppliesTo, lockBoardsByCode } from './boards.queries.ts'

/** Circuit boards: which part of which devices a package is for. */
export const boards = feature({
  name: 'boards',
  tables: ['pcb_board', 'pcb_board_model'],
  seeds: boardSeeds,
  constraints: {
    pcb_board_code_taken: 'boardCodeTaken',
    // What a board refers to is deleted.
    pcb_board_equip_type_id_fkey: 'equipTypeHasBoards',
    pcb_board_part_type_fkey: 'partTypeHasBoards',
    pcb_board_model_equip_model_id_fkey: 'modelHasBoards',
  },
  create({ db }) {
    const service = createBoards({ db })
    return { service, mount: (api) => mountBoards(api, service) }
  },
})
