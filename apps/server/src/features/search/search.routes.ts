import { searchConsole } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Search } from './search.service.ts'

export function mountSearch(api: Api, search: Search): void {
  api.mount(searchConsole, ({ actor, input }) => search.searchConsole(actor, input))
}
