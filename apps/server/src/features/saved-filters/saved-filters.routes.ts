import { deleteSavedFilter, insertSavedFilter, listSavedFilters, updateSavedFilter } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { SavedFilters } from './saved-filters.service.ts'

export function mountSavedFilters(api: Api, savedFilters: SavedFilters): void {
  api.mount(listSavedFilters, ({ actor, input }) => savedFilters.listSavedFilters(actor, input))
  api.mount(insertSavedFilter, ({ actor, input }) => savedFilters.insertSavedFilter(actor, input))
  api.mount(updateSavedFilter, ({ actor, input }) => savedFilters.updateSavedFilter(actor, input))
  api.mount(deleteSavedFilter, ({ actor, input }) => savedFilters.deleteSavedFilter(actor, input))
}
