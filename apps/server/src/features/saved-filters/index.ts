import { type Endpoint, looksUpDeviceCodes, looksUpTargets } from '@voltkeep/contract'
import { feature } from '../../platform/feature.ts'
import { mountSavedFilters } from './saved-filters.routes.ts'
import { createSavedFilters } from './saved-filters.service.ts'

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
