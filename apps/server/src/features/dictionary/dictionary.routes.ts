import { listDictionary, readEnums, readNewestAppAddress } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Dictionary } from './dictionary.service.ts'

export function mountDictionary(api: Api, dictionary: Dictionary): void {
  api.mount(readEnums, ({ input }) => dictionary.readEnums(input))
  api.mount(listDictionary, ({ input }) => dictionary.listDictionary(input))
  api.mount(readNewestAppAddress, () => dictionary.readNewestAppAddress())
}
