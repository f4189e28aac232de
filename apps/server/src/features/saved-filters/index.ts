import {
  type Endpoint,
  listBatteries,
  listParameterBatches,
  looksUpDeviceCodes,
  looksUpTargets,
  searchOperators,
} from '@voltkeep/contract'
import { feature } from '../../platform/feature.ts'
import { mountSavedFilters } from './saved-filters.routes.ts'
import { type CodeKind, createSavedFilters } from './saved-filters.service.ts'

/** Lists whose `code` is of things that not every colleague sees; of others, such as roles, everybody does. */
const scopedCodes: ReadonlyMap<string, CodeKind> = new Map([
  [listBatteries.path, 'battery'],
  [listParameterBatches.path, 'batch'],
  [searchOperators.path, 'operator'],
])

/** Named filters of lists, private or shared within an organization. */
export const savedFilters = feature({
  name: 'saved-filters',
  tables: ['saved_filter'],
  constraints: { saved_filter_taken: 'savedFilterTaken' },
  create({ db }) {
    // All calls, once all are mounted: a list's own access decides about its filters.
    let calls: readonly Endpoint[] = []
    const service = createSavedFilters({
      db,
      findList: (path) => {
        const list = calls.find(
          (call) =>
            call.path === path && !call.isWrite && (call.reply.kind === 'page' || call.reply.kind === 'one'),
        )
        return (
          list && {
            access: list.access,
            isByDeviceCode: looksUpDeviceCodes(list.input),
            codeIsOf: scopedCodes.get(list.path) ?? null,
            isByTarget: looksUpTargets(list.input),
          }
        )
      },
    })
    return {
      service: null,
      mount(api) {
        calls = api.endpoints
        mountSavedFilters(api, service)
      },
    }
  },
})
