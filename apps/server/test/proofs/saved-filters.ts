import { insertSavedFilter, listDevices } from '@voltkeep/contract'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, ownOnly, unnamed } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listSavedFilters: unnamed,
    insertSavedFilter: ownOnly,
    updateSavedFilter: 'another user’s is answered as what does not exist; its own tests ask for it',
    deleteSavedFilter: 'another user’s is answered as what does not exist; its own tests ask for it',
  },
  versions: {
    async updateSavedFilter(app, token) {
      const form = { list: listDevices.path, name: fresh('筛选'), values: { isOnline: '0' } }
      const { data } = await app.call(insertSavedFilter, form, token)
      return { table: 'saved_filter', key: { id: data.id }, change: () => ({ name: fresh('改名') }) }
    },
  },
  additions: {
    listSavedFilters: reasons.ownFilters,
    insertSavedFilter: reasons.ownFilters,
    updateSavedFilter: reasons.ownFilters,
    deleteSavedFilter: reasons.ownFilters,
  },
}
