import {
  deleteDictionaryEntry,
  insertDictionaryEntry,
  listCodes,
  listDictionary,
  listDictionaryTypes,
  listSemaphores,
  readEnums,
  readNewestAppAddress,
  updateDictionaryEntry,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Dictionary } from './dictionary.service.ts'

export function mountDictionary(api: Api, dictionary: Dictionary): void {
  api.mount(readEnums, ({ input }) => dictionary.readEnums(input))
  api.mount(listCodes, ({ input }) => dictionary.listCodes(input))
  api.mount(listSemaphores, ({ input }) => dictionary.listSemaphores(input))
  api.mount(listDictionary, ({ input }) => dictionary.listDictionary(input))
  api.mount(listDictionaryTypes, () => dictionary.listDictionaryTypes())
  api.mount(insertDictionaryEntry, ({ actor, input }) => dictionary.insertDictionaryEntry(actor, input))
  api.mount(updateDictionaryEntry, ({ actor, input }) => dictionary.updateDictionaryEntry(actor, input))
  api.mount(deleteDictionaryEntry, ({ actor, input }) => dictionary.deleteDictionaryEntry(actor, input))
  api.mount(readNewestAppAddress, () => dictionary.readNewestAppAddress())
}
